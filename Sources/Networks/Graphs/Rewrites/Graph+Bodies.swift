import Tensors

extension Rewrites {
    /// Declutters a graph and the graphs inside its nodes, and replaces `If` and `Loop` where constants decide them.
    ///
    /// Constants that a graph inside a node captures become constants of that graph, so that its rewrites see them.
    ///
    /// - Returns: The result of ``declutter(_:types:using:)``; changes inside nodes are not reported.
    package static func declutterWithBodies(
        _ graph: Graph
    ) throws(GraphError) -> (graph: Graph, reports: [RewriteReport]) {
        var (graph, reports, _) = try declutter(graph)
        for _ in 0..<Subgraph.depthLimit {
            guard try graph.expandKnownNodes() else { break }
            let again = try declutter(graph)
            graph = again.graph
            for index in reports.indices { reports[index].changes += again.reports[index].changes }
        }
        for index in graph.nodes.indices {
            guard var operation = graph.nodes[index].operation as? any ControlFlowOperator else { continue }
            let node = graph.nodes[index]
            var inputs = try graph.ownInputs(node, operation)
            for (number, body) in operation.bodies.enumerated() {
                let captures = try graph.captures(node, operation, body: number)
                let (bound, rest) = graph.binding(captures, in: body)
                let decluttered = try declutterWithBodies(bound).graph
                operation.bodies[number] = Subgraph(decluttered, formalInputCount: body.formalInputCount)
                inputs += rest.map(Optional.some)
            }
            graph.nodes[index].operation = operation
            graph.nodes[index].inputs = inputs
        }
        return (graph, reports)
    }
}

extension Graph {
    /// Replaces the control flow nodes that constants decide.
    ///
    /// - Returns: Whether any node was replaced.
    fileprivate mutating func expandKnownNodes() throws(GraphError) -> Bool {
        guard nodes.contains(where: { $0.operation is any ControlFlowOperator }) else { return false }
        var types = [TensorType?](repeating: nil, count: values.count)
        for (id, tensor) in initializers {
            types[id.index] = TensorType(tensor, keepingContent: tensor.elementCount <= Self.followedElementCount)
        }
        var expanded: [Node] = []
        var isChanged = false
        for node in nodes {
            if let replacement = try expand(node, types) {
                expanded += replacement
                isChanged = true
            } else {
                expanded.append(node)
            }
        }
        nodes = expanded
        return isChanged
    }

    fileprivate func ownInputs(_ node: Node, _ operation: any ControlFlowOperator) throws(GraphError) -> [ValueID?] {
        do throws(OperatorError) {
            return try operation.ownInputs(node.inputs)
        } catch {
            throw GraphError(node, error)
        }
    }

    fileprivate func captures(
        _ node: Node, _ operation: any ControlFlowOperator, body: Int
    ) throws(GraphError) -> [ValueID] {
        do throws(OperatorError) {
            return try operation.captures(node.inputs, ofBody: body)
        } catch {
            throw GraphError(node, error)
        }
    }

    /// The body with captured constants of this graph as its own constants.
    ///
    /// - Returns: The graph, and those of `captures` that are still its inputs.
    fileprivate func binding(_ captures: [ValueID], in body: Subgraph) -> (Graph, [ValueID]) {
        var graph = body.graph
        var rest: [ValueID] = []
        var inputs = Array(graph.inputs.prefix(body.formalInputCount))
        for (capture, input) in zip(captures, graph.inputs.dropFirst(body.formalInputCount)) {
            if let tensor = initializers[capture] {
                graph.initializers[input] = tensor
                graph.values[input.index].elementType = tensor.elementType
                graph.values[input.index].shape = Shape(tensor.shape)
            } else {
                inputs.append(input)
                rest.append(capture)
            }
        }
        graph.inputs = inputs
        return (graph, rest)
    }
}
