import Graphs
import Images
import Models
import Platform
import Tensors

/// The inputs of a network beside the picture: those that ``Model/inputValues`` gives, and those that follow from the
/// picture's extents (``PictureExtents``).
package struct FurtherInputs: Sendable {
    /// An input that is given a value.
    private struct Given: Sendable {
        let form: FurtherInput
        let value: InputValue
    }

    private let given: [Given]
    private let extents: PictureExtents

    /// The names of the inputs.
    package var names: Set<String> { Set(given.map(\.form.name)).union(extents.names) }
    /// The names of the inputs whose values are each record's own, in the network's order.
    package var namesOfRecords: [String] {
        given.filter { if case .ofRecord = $0.value { true } else { false } }.map(\.form.name)
    }
    /// Whether a value has no axis for the pictures of a batch, so that each picture runs alone.
    package let takesSinglePictures: Bool

    /// - Throws: ``ApusError/usage(_:)`` for a value of an input that the network does not have.
    init(_ model: Model) throws(ApusError) {
        let graph = model.graph
        for name in model.inputValues.keys.sorted() where !graph.inputs.contains(where: { graph[$0].name == name }) {
            let names = graph.inputs.map { "\"\(graph[$0].name.printable)\"" }.joined(separator: ", ")
            throw .usage("\(model.name): there is no input \"\(name.printable)\"; the inputs are \(names)")
        }
        extents = PictureExtents(model)
        given = graph.inputs.compactMap { id in
            model.inputValues[graph[id].name].map { Given(form: FurtherInput(model, id), value: $0) }
        }
        takesSinglePictures = given.contains { input in
            if case .ofRecord = input.value { return !input.form.hasBatchAxis }
            guard case .tensor(let tensor) = input.value else { return false }
            return input.form.hasOpenFirstAxis && tensor.shape.count == input.form.rank && tensor.shape.first != 1
        }
    }

    /// The values that are the same for every picture, by name.
    ///
    /// - Parameter steps: Those of the main picture.
    /// - Throws: ``ApusError/usage(_:)`` for a value that does not fit its input.
    package func constants(_ steps: Preprocessing, _ options: Image.DecodingOptions) throws(ApusError) -> [String:
        Tensor]
    {
        var constants: [String: Tensor] = [:]
        for input in given {
            let form = input.form
            do {
                switch input.value {
                case .ofRecord: continue
                case .numbers(let numbers): constants[form.name] = try form.tensor(numbers)
                case .tensor(let tensor): constants[form.name] = try form.tensor(tensor)
                case .image(let image): constants[form.name] = try form.tensor(image, steps, options)
                }
            } catch let error as ApusError {
                throw error
            } catch let error as FurtherInput.Misfit {
                throw .usage("\(form.model.name): input \(form.text) \(error.message)")
            } catch {
                throw ApusError(error, model: form.model.name)
            }
        }
        return constants
    }

    /// The values of a record, by name.
    ///
    /// - Throws: ``RecordError`` that names the input.
    package func values(
        of record: [String: ImageSource], _ steps: Preprocessing, _ options: Image.DecodingOptions
    ) throws(RecordError) -> [String: Tensor] {
        var values: [String: Tensor] = [:]
        for input in given {
            guard case .ofRecord = input.value else { continue }
            let form = input.form
            guard let source = record[form.name] else {
                throw RecordError(
                    stage: "read", code: "no-input", message: "input \(form.text): the record has no value for it")
            }
            switch RecordError.catching({ try form.tensor(source, steps, options) }) {
            case .success(let tensor): values[form.name] = tensor
            case .failure(.cancelled): throw .cancelled
            case .failure(let error):
                throw RecordError(
                    stage: error.stage, code: error.code,
                    message: "input \"\(form.name.printable)\": \(error.message)")
            }
        }
        return values
    }

    /// The values for a run.
    ///
    /// - Parameters:
    ///   - constants: What ``constants(_:_:)`` gave.
    ///   - records: What ``values(of:_:_:)`` gave for each picture of the run.
    ///   - size: The size in which the network sees the pictures.
    package func tensors(
        _ constants: [String: Tensor], _ records: [[String: Tensor]], size: ImageSize
    ) throws -> [String: Tensor] {
        var tensors = try extents.tensors(records.count, size)
        for input in given {
            let form = input.form
            if let constant = constants[form.name] {
                let isRepeated = form.hasBatchAxis && constant.shape.first == 1 && records.count > 1
                let shape = [records.count] + constant.shape.dropFirst()
                tensors[form.name] = isRepeated ? try constant.broadcast(to: shape).contiguous() : constant
                continue
            }
            let own = records.compactMap { $0[form.name] }
            guard own.count == records.count, let first = own.first else {
                throw ApusError.usage(
                    "\(form.model.name): input \(form.text) is each record's own, and the picture has no value for it")
            }
            tensors[form.name] = own.count == 1 ? first : try Tensor(stacking: own)
        }
        return tensors
    }

    /// The values on which answers depend, in one line; nil without any.
    ///
    /// - Parameter constants: What ``constants(_:_:)`` gave.
    func description(_ constants: [String: Tensor]) -> String? {
        guard !given.isEmpty else { return nil }
        return given.map { input in
            guard let tensor = constants[input.form.name] else { return "\(input.form.name): of each record" }
            var hash = StableHash()
            try? tensor.withContiguousBytes { hash.combine($0) }
            return "\(input.form.name): \(tensor.elementType)\(tensor.shape) \(hash.text)"
        }.joined(separator: "; ")
    }
}
