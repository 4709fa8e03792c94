import Tensors

extension Rewrites {
    /// Declutters a graph and those inside its nodes, and puts what is known of `If` and `Loop` in the place of the node.
    ///
    /// Arrays of the graph that one inside a node reads become arrays of that, so that its rewrites see them.
    ///
    /// - Returns: As ``declutter(_:types:using:)``; what was done inside of nodes is not reported.
    package static func declutterWithBodies(
        _ graph: Graph
    ) throws(GraphError) -> (graph: Graph, reports: [RewriteReport]) {
        var (graph, reports) = try declutter(graph)
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
    /// Replaces the nodes with graphs of their own that arrays of the graph decide about.
    ///
    /// - Returns: Whether there were any.
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

    /// A graph inside a node that owns the arrays it reads of this one.
    ///
    /// - Returns: The graph, and which of `captures` are still its inputs.
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
