import Tensors

extension Graph {
    /// The maximum number of elements of a value whose content shape inference computes.
    package static let followedElementCount = 4096

    /// The maximum number of operations for computing content during the inference of one graph.
    private static let followingWorkLimit = 20_000_000

    /// Infers the type of every value for given input extents.
    ///
    /// - Parameter inputShapes: The extents of every input, in the order of `inputs`.
    /// - Returns: A type per value, indexed like `values`; nil for values that no node or input provides.
    /// - Throws: ``GraphError`` naming the node whose shape rule refuses.
    package func inferTypes(inputShapes: [[Int]]) throws(GraphError) -> [TensorType?] {
        var types = try typesBeforeNodes(inputShapes: inputShapes)
        var work = Self.followingWorkLimit
        for node in nodes {
            let inferred = try inferTypes(of: node, types, work: &work)
            for (output, type) in zip(node.outputs, inferred) { if let output { types[output.index] = type } }
        }
        return types
    }

    /// Infers the type of every value that can be known before the network runs; other values, and those that depend on
    /// them, are nil.
    ///
    /// - Throws: ``GraphError`` naming the node whose shape rule refuses.
    package func inferKnownTypes(inputShapes: [[Int]]) throws(GraphError) -> [TensorType?] {
        var types = try typesBeforeNodes(inputShapes: inputShapes)
        var work = Self.followingWorkLimit
        for node in nodes where node.inputs.allSatisfy({ $0.map { types[$0.index] != nil } ?? true }) {
            guard case .types(let inferred) = try inference(of: node, types, work: &work) else { continue }
            for (output, type) in zip(node.outputs, inferred) { if let output { types[output.index] = type } }
        }
        return types
    }

    /// The types of the values that no node computes, indexed like `values`.
    package func typesBeforeNodes(inputShapes: [[Int]]) throws(GraphError) -> [TensorType?] {
        var types = [TensorType?](repeating: nil, count: values.count)
        for (id, shape) in zip(inputs, inputShapes) {
            try checkSize(shape, of: id)
            types[id.index] = TensorType(self[id].elementType ?? .float32, shape)
        }
        for (id, tensor) in initializers {
            types[id.index] = TensorType(tensor, keepingContent: tensor.elementCount <= Self.followedElementCount)
        }
        for id in missingWeights {
            try checkSize(self[id].shape?.fixed ?? [], of: id)
            types[id.index] = TensorType(self[id].elementType ?? .float32, self[id].shape?.fixed ?? [])
        }
        return types
    }

    /// Checks that the number of a value's bytes does not overflow, so that later products of its extents do not
    /// either.
    private func checkSize(_ extents: [Int], of id: ValueID) throws(GraphError) {
        do {
            _ = try Shape.byteCount(extents, self[id].elementType ?? .float32)
        } catch {
            throw .input(name: self[id].name, message: error.description)
        }
    }

    /// Infers what `node` computes from the types of its inputs.
    package func inferTypes(of node: Node, _ types: [TensorType?]) throws(GraphError) -> [TensorType] {
        var work = Self.followingWorkLimit
        return try inferTypes(of: node, types, work: &work)
    }

    /// The result of inferring a node's output types before the network runs.
    package enum Inference: Sendable {
        case types([TensorType])
        /// The types depend on the content of this input.
        case undetermined(String)
    }

    /// Infers the types of a node's outputs, which may depend on the content of an input.
    package func inference(of node: Node, _ types: [TensorType?]) throws(GraphError) -> Inference {
        var work = Self.followingWorkLimit
        return try inference(of: node, types, work: &work)
    }

    private func inferTypes(
        of node: Node, _ types: [TensorType?], work: inout Int
    ) throws(GraphError) -> [TensorType] {
        do throws(OperatorError) {
            return try outputTypes(of: node, types, work: &work)
        } catch {
            throw GraphError(node, error)
        }
    }

    private func inference(
        of node: Node, _ types: [TensorType?], work: inout Int
    ) throws(GraphError) -> Inference {
        do throws(OperatorError) {
            return .types(try outputTypes(of: node, types, work: &work))
        } catch {
            if case .undetermined(let name) = error { return .undetermined(name) }
            throw GraphError(node, error)
        }
    }

    /// The types of a node's outputs, with their content where it is small and known.
    ///
    /// - Parameter work: The number of operations that may still be spent on computing content.
    package func outputTypes(
        of node: Node, _ types: [TensorType?], work: inout Int
    ) throws(OperatorError) -> [TensorType] {
        var inputs: [TensorType?] = []
        for input in node.inputs {
            guard let input else {
                inputs.append(nil)
                continue
            }
            guard let type = types[input.index] else {
                throw .invalid("reads \"\(self[input].name)\", which nothing provides")
            }
            inputs.append(type)
        }
        var outputs = try node.operation.outputTypes(for: inputs)
        guard outputs.count >= node.outputs.count else {
            throw .invalid("gives \(outputs.count) outputs, but \(node.outputs.count) are named")
        }
        do throws(TensorError) {
            for output in outputs { _ = try Shape.byteCount(output.shape, output.elementType) }
        } catch {
            throw .tensor(error)
        }
        followContent(of: node.operation, inputs, &outputs, work: &work)
        return outputs
    }

    /// Evaluates an operator whose inputs are all known and small, so that shapes that depend on its result are known.
    private func followContent(
        of operation: any Operator, _ inputs: [TensorType?], _ outputs: inout [TensorType], work: inout Int
    ) {
        guard outputs.allSatisfy({ $0.constant == nil && $0.elementCount <= Self.followedElementCount }) else { return }
        var contents: [Tensor?] = []
        for input in inputs {
            guard input == nil || input?.constant != nil else { return }
            contents.append(input?.constant)
        }
        let needed = operation.cost(inputs: inputs, outputs: outputs).operationCount
        guard needed <= work else { return }
        work -= needed
        guard let results = try? operation.evaluate(contents, outputTypes: outputs) else { return }
        for (index, result) in results.enumerated() where index < outputs.count { outputs[index].constant = result }
    }

    /// The extents of every input, with numbers in place of symbols.
    ///
    /// - Throws: ``GraphError/input(name:message:)`` when a symbol has no number, or an input declares no shape.
    package func inputShapes(binding symbols: [String: Int]) throws(GraphError) -> [[Int]] {
        var shapes: [[Int]] = []
        for id in inputs {
            guard let shape = self[id].shape else { throw .input(name: self[id].name, message: "declares no shape") }
            guard let extents = shape.binding(symbols) else {
                throw .input(name: self[id].name, message: "the shape \(shape) needs a number for every name in it")
            }
            shapes.append(extents)
        }
        return shapes
    }

    /// Checks given extents against the declared shape of an input.
    package func check(_ extents: [Int], elementType: ElementType, forInput id: ValueID) throws(GraphError) {
        let value = self[id]
        if let expected = value.elementType, expected != elementType {
            throw .input(name: value.name, message: "elements are \(elementType), not \(expected)")
        }
        guard let shape = value.shape else { return }
        let fits =
            shape.rank == extents.count
            && zip(shape.dimensions, extents).allSatisfy { $0.value == nil || $0.value == $1 }
        guard fits else {
            throw .input(name: value.name, message: "the shape is \(extents); the network takes \(shape)")
        }
    }

    /// The graph for one set of input extents. Every value has its type, and content that shape inference computed has
    /// become an initializer.
    package func specialized(inputShapes: [[Int]]) throws(GraphError) -> Graph {
        let types = try inferTypes(inputShapes: inputShapes)
        var graph = self
        for (index, type) in types.enumerated() {
            guard let type else { continue }
            graph.values[index].elementType = type.elementType
            graph.values[index].shape = Shape(type.shape)
        }
        let results = Set(outputs)
        graph.nodes = nodes.filter { node in
            let outputs = node.outputs.compactMap { $0 }
            let contents = outputs.compactMap { types[$0.index]?.constant }
            guard contents.count == outputs.count, results.isDisjoint(with: outputs) else { return true }
            for (output, content) in zip(outputs, contents) { graph.initializers[output] = content }
            return false
        }
        return graph
    }
}
