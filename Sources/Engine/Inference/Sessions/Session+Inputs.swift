import Graphs
import Platform
import Tensors

extension Session {
    /// The inputs in the network's order, checked against what it declares.
    package func ordered(_ inputs: [String: Tensor]) throws(ApusError) -> [Tensor] {
        let graph = model.graph
        let names = graph.inputs.map { graph[$0].name }
        for name in inputs.keys.sorted() where !names.contains(name) {
            if model.source.initializers.keys.contains(where: { model.source[$0].name == name }) {
                throw .usage("\(model.name): \"\(name)\" has its value in the file, and no other can be given")
            }
            throw .usage(
                "\(model.name): there is no input \"\(name)\"; the inputs are \(names.joined(separator: ", "))")
        }
        var tensors: [Tensor] = []
        var symbols: [String: (extent: Int, input: String)] = [:]
        for id in graph.inputs {
            let value = graph[id]
            var found = inputs[value.name]
            if found == nil { found = try standard(for: value, beside: inputs) }
            guard let tensor = found else {
                throw .usage("\(model.name): input \"\(value.name)\" is missing")
            }
            do {
                var extents = tensor.shape
                if model.hasFixedBatchOfOne, !extents.isEmpty { extents[0] = 1 }
                try graph.check(extents, elementType: tensor.elementType, forInput: id)
            } catch {
                throw ApusError(error, model: model.name)
            }
            for (dimension, extent) in zip(value.shape?.dimensions ?? [], tensor.shape) {
                guard case .symbol(let symbol) = dimension else { continue }
                if let other = symbols[symbol], other.extent != extent {
                    throw .usage(
                        "\(model.name): \(symbol) is \(other.extent) in input \"\(other.input)\" and \(extent) in "
                            + "input \"\(value.name)\"")
                }
                symbols[symbol] = (extent, value.name)
            }
            tensors.append(tensor)
        }
        return tensors
    }

    /// The tensor that the model file names for an input that is not given; nil where it names none.
    private func standard(for value: Graph.Value, beside inputs: [String: Tensor]) throws(ApusError) -> Tensor? {
        guard let number = model.inputDefaults[value.name], let elementType = value.elementType,
            let shape = value.shape
        else { return nil }
        var extents: [String: Int] = [:]
        for id in model.graph.inputs {
            let other = model.graph[id]
            for (dimension, extent) in zip(other.shape?.dimensions ?? [], inputs[other.name]?.shape ?? []) {
                if case .symbol(let symbol) = dimension { extents[symbol] = extent }
            }
        }
        for dimension in shape.dimensions {
            if case .symbol(let symbol) = dimension, extents[symbol] == nil { extents[symbol] = 1 }
        }
        do {
            return try Tensor([number], shape: [1]).converted(to: elementType)
                .broadcast(to: shape.binding(extents) ?? []).contiguous()
        } catch {
            throw ApusError(error, model: model.name)
        }
    }

    /// The inputs of each image of a batch, for a network whose batch is fixed to 1; nil when the tensors can run as
    /// they are.
    package func split(_ tensors: [Tensor]) throws(ApusError) -> [[Tensor]]? {
        guard model.hasFixedBatchOfOne, let count = tensors.first?.shape.first, count != 1 else { return nil }
        guard count > 0, tensors.allSatisfy({ $0.shape.first == count }) else {
            throw .usage("\(model.name): the inputs disagree on the number of images")
        }
        do {
            return try (0..<count).map { index in
                try tensors.map { try $0.sliced(axis: 0, index..<index + 1).contiguous() }
            }
        } catch {
            throw ApusError(error, model: model.name)
        }
    }
}

extension Tensor {
    /// Joins tensors of equal extents along the first axis.
    ///
    /// - Throws: ``TensorError/view(_:)`` when the tensors differ in type or in an extent other than the first.
    package init(stacking tensors: [Tensor]) throws {
        guard let first = tensors.first else { throw TensorError.view("no tensors to stack") }
        let rest = first.shape.dropFirst()
        guard
            tensors.allSatisfy({
                !$0.shape.isEmpty && $0.shape.dropFirst() == rest
                    && $0.elementType == first.elementType
            })
        else { throw TensorError.view("tensors of different type or extents cannot be stacked") }
        let count = tensors.reduce(0) { $0 + $1.shape[0] }
        try self.init(first.elementType, shape: [count] + rest) { bytes in
            var next = 0
            for tensor in tensors {
                try tensor.withContiguousBytes { source in
                    UnsafeMutableRawBufferPointer(rebasing: bytes[next..<next + source.count]).copyMemory(from: source)
                    next += source.count
                }
            }
        }
    }
}
