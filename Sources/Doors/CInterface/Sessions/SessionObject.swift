import Apus
import CApus

/// A network that is ready to run.
final class SessionObject: HandleObject {
    static let kind = "session"

    let session: Session
    /// The names of the network's inputs and outputs, in its order.
    private let inputNames: [String]
    private let outputNames: [String]

    init(_ session: Session) {
        self.session = session
        let graph = session.model.graph
        inputNames = graph.inputs.map { graph[$0].name }
        outputNames = graph.outputs.map { graph[$0].name }
    }

    /// The tensors of a caller, by name.
    func inputs(
        _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int
    ) throws(InterfaceError) -> [String: Tensor] {
        guard count == inputNames.count else {
            throw .argument(
                "\(session.model.name): the network has \(inputNames.count) inputs, not \(count)", code: "inputs")
        }
        let handles = try elements(handles, count, "inputs")
        let names = names == nil ? inputNames : try texts(names, count, "names")
        var inputs: [String: Tensor] = [:]
        for (name, handle) in zip(names, handles) {
            guard inputs.updateValue(try object(handle, TensorObject.self).tensor, forKey: name) == nil else {
                throw .argument("\(session.model.name): input \"\(name.printable)\" is given twice", code: "inputs")
            }
        }
        return inputs
    }

    /// Gives out the outputs that a caller wants.
    func give(
        _ outputs: [String: Tensor], _ names: UnsafePointer<UnsafePointer<CChar>?>?,
        to places: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int
    ) throws(InterfaceError) {
        var wanted: [TensorObject] = []
        for name in try wantedNames(names, count) {
            guard let tensor = outputs[name] else {
                throw .argument(
                    "\(session.model.name): there is no output \"\(name.printable)\"; the outputs are "
                        + outputNames.joined(separator: ", "), code: "outputs")
            }
            wanted.append(try TensorObject(tensor))
        }
        guard count > 0 else { return }
        let places = try required(places, "outputs")
        for (index, tensor) in wanted.enumerated() { places[index] = try HandleTable.shared.add(tensor) }
    }

    /// Checks before a run what can be checked of the places for its outputs.
    func check(
        _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ places: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int
    ) throws(InterfaceError) {
        if count != 0 { _ = try required(places, "outputs") }
        for name in try wantedNames(names, count) where !outputNames.contains(name) {
            throw .argument(
                "\(session.model.name): there is no output \"\(name.printable)\"; the outputs are "
                    + outputNames.joined(separator: ", "), code: "outputs")
        }
    }

    private func wantedNames(
        _ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
    ) throws(InterfaceError) -> [String] {
        guard (0...outputNames.count).contains(count) else {
            throw .argument(
                "\(session.model.name): the network has \(outputNames.count) outputs, not \(count)", code: "outputs")
        }
        return names == nil ? Array(outputNames.prefix(count)) : try texts(names, count, "output_names")
    }
}
