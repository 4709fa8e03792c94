import Tensors

extension Graph {
    /// Copies `body` into this graph: adds its values and initializers, and returns its nodes.
    ///
    /// - Parameters:
    ///   - arguments: One value for every input of the body.
    ///   - results: The values that receive its outputs; nil for an output that is not needed.
    ///   - prefix: The prefix of the names of values and nodes.
    /// - Returns: The nodes in order; the caller inserts them.
    package mutating func inline(
        _ body: Graph, arguments: [ValueID], results: [ValueID?], prefix: String
    ) -> [Node] {
        var identifiers = [ValueID?](repeating: nil, count: body.values.count)
        for (input, argument) in zip(body.inputs, arguments) { identifiers[input.index] = argument }
        var copies: [(source: ValueID, result: ValueID)] = []
        for (output, result) in zip(body.outputs, results) {
            guard let result else { continue }
            if identifiers[output.index] == nil, body.initializers[output] == nil {
                identifiers[output.index] = result
            } else {
                copies.append((output, result))
            }
        }
        func identifier(_ id: ValueID) -> ValueID {
            if let known = identifiers[id.index] { return known }
            let value = body[id]
            let new = addValue("\(prefix)/\(value.name)", elementType: value.elementType, shape: nil)
            identifiers[id.index] = new
            if let tensor = body.initializers[id] {
                initializers[new] = tensor
                values[new.index].shape = Shape(tensor.shape)
            }
            return new
        }
        var nodes: [Node] = []
        for node in body.nodes {
            nodes.append(
                Node(
                    name: "\(prefix)/\(node.name)", operation: node.operation,
                    inputs: node.inputs.map { $0.map(identifier) }, outputs: node.outputs.map { $0.map(identifier) }))
        }
        for (number, copy) in copies.enumerated() {
            nodes.append(
                Node(
                    name: "\(prefix)/output \(number)", operation: Identity(), inputs: [identifier(copy.source)],
                    outputs: [copy.result]))
        }
        return nodes
    }

    /// The nodes that replace an `If` or a `Loop` when its condition or its number of iterations is known; nil when it
    /// is not, or when there would be too many nodes.
    package mutating func expand(_ node: Node, _ types: [TensorType?]) throws(GraphError) -> [Node]? {
        do throws(OperatorError) {
            switch node.operation {
            case let branches as If: return try expand(node, branches, types)
            case let loop as Loop: return try expand(node, loop, types)
            default: return nil
            }
        } catch {
            throw GraphError(node, error)
        }
    }

    private mutating func expand(
        _ node: Node, _ branches: If, _ types: [TensorType?]
    ) throws(OperatorError) -> [Node]? {
        guard let condition = node.inputs.first?.flatMap({ types[$0.index]?.constant }) else { return nil }
        let branch = try If.branch(condition)
        let arguments = try branches.captures(node.inputs, ofBody: branch)
        return inline(
            branches.bodies[branch].graph, arguments: arguments, results: node.outputs, prefix: node.name)
    }

    /// The maximum number of nodes of an unrolled loop.
    private static let unrolledNodeLimit = 2048

    private mutating func expand(
        _ node: Node, _ loop: Loop, _ types: [TensorType?]
    ) throws(OperatorError) -> [Node]? {
        let body = loop.bodies[0]
        let own = try loop.ownInputs(node.inputs)
        guard own.count == loop.carriedCount + 2, body.keepsCondition,
            let count = own[0].flatMap({ types[$0.index]?.constant })?.elements(as: Int64.self).first,
            count >= 1, count <= Self.unrolledNodeLimit / max(1, body.graph.nodes.count)
        else { return nil }
        if let condition = own[1] {
            guard let content = types[condition.index]?.constant, try If.branch(content) == 0 else { return nil }
        }
        let captures = try loop.captures(node.inputs, ofBody: 0)
        var carried = own.dropFirst(2).compactMap { $0 }
        guard carried.count == loop.carriedCount else { throw .invalid("a value that it begins with is missing") }
        let scanCount = body.graph.outputs.count - 1 - loop.carriedCount
        var scans = [[ValueID]](repeating: [], count: scanCount)
        var nodes: [Node] = []
        let flag = addInitializer(
            "\(node.name)/condition", try .constant([true], shape: body.scalarShape(ofInput: 1)))
        for iteration in 0..<count {
            let prefix = "\(node.name)/\(iteration)"
            let counter = addInitializer(
                "\(prefix)/iteration", try .constant([iteration], shape: body.scalarShape(ofInput: 0)))
            let isLast = iteration == count - 1
            let next = carried.indices.map { index -> ValueID? in
                isLast && index < node.outputs.count ? node.outputs[index] : addValue("\(prefix)/carried \(index)")
            }
            let slices = scans.indices.map { addValue("\(prefix)/scanned \($0)") }
            nodes += inline(
                body.graph, arguments: [counter, flag] + carried + captures, results: [nil] + next + slices,
                prefix: prefix)
            for (index, slice) in slices.enumerated() { scans[index].append(slice) }
            carried = next.compactMap { $0 }
            guard isLast || carried.count == loop.carriedCount else { return nil }
        }
        for (index, slices) in scans.enumerated() {
            let position = loop.carriedCount + index
            guard position < node.outputs.count, let result = node.outputs[position] else { continue }
            nodes += stack(slices, into: result, prefix: "\(node.name)/stack \(index)")
        }
        return nodes
    }

    /// Nodes that join values along a new first axis.
    private mutating func stack(_ slices: [ValueID], into result: ValueID, prefix: String) -> [Node] {
        var nodes: [Node] = []
        var parts: [ValueID] = []
        for (index, slice) in slices.enumerated() {
            let part = addValue("\(prefix)/\(index)")
            parts.append(part)
            nodes.append(
                Node(
                    name: "\(prefix)/\(index)", operation: Unsqueeze(axes: [0]), inputs: [slice], outputs: [part]))
        }
        nodes.append(Node(name: prefix, operation: Concat(axis: 0), inputs: parts, outputs: [result]))
        return nodes
    }
}

extension Subgraph {
    /// Whether the condition that a loop's body returns is the one it received, or always true.
    fileprivate var keepsCondition: Bool {
        var id = graph.outputs[0]
        for node in graph.nodes.reversed() where node.outputs.first == id {
            switch node.operation {
            case is Identity: if let source = node.inputs[0] { id = source }
            case let constant as Constant: return constant.value.elements(as: Bool.self) == [true]
            default: return false
            }
        }
        return id == graph.inputs[1] || graph.initializers[id]?.elements(as: Bool.self) == [true]
    }
}
