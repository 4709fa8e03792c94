import Apus
import CApus
import SharedOptions
import Synchronization

/// A model, and its inputs and outputs in C's form.
final class ModelObject: HandleObject {
    static let kind = "model"

    let model: Model
    let inputs: [ValueDescription]
    let outputs: [ValueDescription]

    init(_ model: Model) {
        self.model = model
        let graph = model.graph
        inputs = graph.inputs.map { ValueDescription(graph[$0]) }
        outputs = graph.outputs.map { ValueDescription(graph[$0]) }
    }

    /// Reads a model file, or builds a network of the zoo.
    convenience init(path: String, _ options: InterfaceOptions) throws {
        MemoryRestriction.apply(options.loading)
        try self.init(options.size.applied(to: options.loading.model(path)))
    }
}

/// The limit on the memory of the process, which grows with the models that are read.
package enum MemoryRestriction {
    private struct State {
        var isSet = false
        /// The number of sessions at once for which the limit was raised.
        var sessionCount = 1
    }

    private static let state = Mutex(State())

    /// Keeps the first model from limiting the memory of a process that has other users.
    package static func keepLimit() {
        state.withLock { $0.isSet = true }
    }

    /// Sets the limit that the options name, or at the first call the one of the command.
    static func apply(_ options: ModelLoadingOptions) {
        state.withLock { state in
            if options.memoryLimit != nil || !state.isSet { options.restrictMemory() }
            state.isSet = true
        }
    }

    /// Raises the limit for sessions that are there at once, unless the options name it.
    static func raise(forSessions count: Int, _ options: ModelLoadingOptions) {
        if options.memoryLimit != nil { return apply(options) }
        state.withLock { state in
            guard count > state.sessionCount else { return }
            let needed = MemorySize.standard(streams: count).byteCount
            MemoryBudget.process.earn(byteCount: needed - MemorySize.standard(streams: state.sessionCount).byteCount)
            state.sessionCount = count
        }
    }
}

/// An input or an output in C's form. Its texts live as long as the object.
final class ValueDescription: Sendable {
    let name: String
    private let nameBytes: CString
    private let type: apus_element_type
    private let extents: [Int64]?
    private let symbols: [CString?]

    init(_ value: Graph.Value) {
        name = value.name
        nameBytes = CString(value.name)
        type = value.elementType.flatMap { $0.code } ?? 0
        let dimensions = value.shape?.dimensions
        extents = dimensions.map { $0.map { Int64($0.value ?? -1) } }
        symbols = (dimensions ?? []).map { dimension in
            if case .symbol = dimension { CString(dimension.description) } else { nil }
        }
    }

    /// Writes the description.
    func write(to place: UnsafeMutablePointer<apus_value>) {
        var value = apus_value()
        value.name = nameBytes.start
        value.type = type
        // A value with more axes than the interface has is described as one whose axes are not known.
        let isKnown = extents.map { $0.count <= APUS_MAXIMUM_RANK } ?? false
        value.rank = isKnown ? Int32(extents?.count ?? 0) : -1
        if isKnown {
            withUnsafeMutableBytes(of: &value.extents) { bytes in
                for (axis, extent) in (extents ?? []).enumerated() {
                    bytes.storeBytes(of: extent, toByteOffset: axis * MemoryLayout<Int64>.stride, as: Int64.self)
                }
            }
            withUnsafeMutableBytes(of: &value.symbols) { bytes in
                let stride = MemoryLayout<UnsafePointer<CChar>?>.stride
                for (axis, symbol) in symbols.enumerated() {
                    bytes.storeBytes(
                        of: symbol?.start, toByteOffset: axis * stride, as: UnsafePointer<CChar>?.self)
                }
            }
        }
        place.pointee = value
    }
}
