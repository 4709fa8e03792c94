import Graphs
import Tensors

extension Planner {
    /// Chooses a lowering for every node, and puts copies where layouts or memories differ.
    ///
    /// Nodes are visited in order. Among the lowerings of its side, each node takes the one with the shortest expected
    /// time for one image on one thread, copies of its inputs included. An image is therefore computed with the same
    /// kernels in every batch and on any number of threads.
    ///
    /// - Parameters:
    ///   - imageTypes: The types of values for one image; empty when they are unknown, so that the given types decide.
    ///   - orders: Where the images of a batch lie in each value.
    ///   - packedWeights: Keeps constants that a lowering reads in another layout.
    ///   - sides: Where each node should run. A node that no lowering of a device accepts runs on the processor.
    func draft(
        _ graph: Graph, _ types: [TensorType?], ofOneImage imageTypes: [TensorType?], orders: [ImageOrder],
        _ packedWeights: PackedWeights, sides: [MemorySpace]
    ) throws(PlanningError) -> Draft {
        var draft = Draft(largeOutputByteCount: largeOutputByteCount)
        // The planned values of each graph value, at most one per layout and memory; the first is the original.
        var versions = [[Int]](repeating: [], count: graph.values.count)
        for (index, id) in graph.inputs.enumerated() {
            guard let type = types[id.index] else { continue }
            versions[id.index] = [draft.addValue(graph[id].name, type, .rowMajor, .input(index))]
        }
        let leadsToProduct = graph.nodesBeforeProducts
        var lastOutputs = Set(graph.outputs)
        for node in graph.nodes { for case let input? in node.inputs { lastOutputs.remove(input) } }
        /// Whether one image of an output is large, so that layers are the same for any number of images.
        func isLarge(_ id: Graph.ValueID) -> Bool {
            let type = imageTypes.indices.contains(id.index) ? imageTypes[id.index] : nil
            return (type ?? types[id.index]).map { $0.byteCount >= largeOutputByteCount } ?? false
        }
        let convolved = Set(
            graph.nodes.filter { $0.operation is IntegerConv }.compactMap { $0.inputs.first.flatMap(\.self) })
        for (nodeIndex, node) in graph.nodes.enumerated() {
            for case let input? in node.inputs where versions[input.index].isEmpty {
                guard let tensor = graph.initializers[input] else { continue }
                versions[input.index] = [
                    draft.addValue(graph[input].name, TensorType(tensor), .rowMajor, .constant(tensor))
                ]
            }
            let outputTypes = try outputTypes(of: node, graph, types)
            if outputTypes.isEmpty { continue }
            let (request, ranking, choice) = try choose(
                node, outputTypes, graph, types, imageTypes, orders, versions, draft,
                isLastProduct: !leadsToProduct[nodeIndex],
                isOutput: node.outputs.first.flatMap(\.self).map { lastOutputs.contains($0) && isLarge($0) } ?? false,
                isReadByIntegerConvolution: node.outputs.first.flatMap(\.self).map(convolved.contains) ?? false,
                side: sides[nodeIndex])
            let candidate = choice.contender.candidate
            let space = choice.contender.backend.space
            var inputs: [Int?] = []
            for (position, id) in node.inputs.enumerated() {
                guard let id else {
                    inputs.append(nil)
                    continue
                }
                let layout = candidate.inputLayouts.indices.contains(position) ? candidate.inputLayouts[position] : nil
                inputs.append(
                    try version(
                        of: id.index, in: layout, space, for: nodeIndex, &versions, &draft, packedWeights))
            }
            var outputs: [Int] = []
            for (position, (id, type)) in zip(node.outputs, outputTypes).enumerated() {
                let layout = candidate.outputLayouts[min(position, candidate.outputLayouts.count - 1)]
                let name = id.map { graph[$0].name } ?? ""
                let value = draft.addValue(name, type, layout, .operation(draft.operations.count), in: space)
                if let id { versions[id.index] = [value] }
                outputs.append(value)
            }
            draft.append(
                Draft.Operation(
                    nodeIndex: nodeIndex, request: request, ranking: ranking, inputs: inputs, outputs: outputs,
                    choice: choice))
        }
        for id in graph.outputs {
            if versions[id.index].isEmpty, let tensor = graph.initializers[id] {
                versions[id.index] = [draft.addValue(graph[id].name, TensorType(tensor), .rowMajor, .constant(tensor))]
            }
            let isOnHost = Self.nearest(versions[id.index], to: .host, draft).map { draft.values[$0].space } == .host
            let layout: Layout? = isOnHost && isLarge(id) ? .rowMajor : nil
            let output = try version(of: id.index, in: layout, .host, for: nil, &versions, &draft, packedWeights)
            draft.outputs.append(output ?? versions[id.index][0])
        }
        storeInBFloat16(&draft)
        return draft
    }

    /// Chooses a lowering for a node, on the processor where the device has none.
    private func choose(
        _ node: Graph.Node, _ outputTypes: [TensorType], _ graph: Graph, _ types: [TensorType?],
        _ imageTypes: [TensorType?], _ orders: [ImageOrder], _ versions: [[Int]], _ draft: Draft, isLastProduct: Bool,
        isOutput: Bool, isReadByIntegerConvolution: Bool, side: MemorySpace
    ) throws(PlanningError) -> (LoweringRequest, LoweringRequest, Choice) {
        func choose(in space: MemorySpace) throws(PlanningError) -> (LoweringRequest, LoweringRequest, Choice) {
            let request = LoweringRequest(
                node: node,
                inputs: node.inputs.map { $0.flatMap { types[$0.index] } },
                outputs: outputTypes,
                constants: node.inputs.map { $0.flatMap { graph.initializers[$0] } },
                inputLayouts: node.inputs.map {
                    $0.flatMap { Self.nearest(versions[$0.index], to: space, draft) }.map { draft.values[$0].layout }
                },
                threadCount: threadCount, isLastProduct: isLastProduct, isOutput: isOutput,
                isReadByIntegerConvolution: isReadByIntegerConvolution,
                imageOrders: node.inputs.map { $0.map { orders[$0.index] } ?? .one })
            let ranking = request.forRanking(imageTypes, graph)
            let choice = try self.choose(request, ranking: ranking, in: space) { input, layout in
                node.inputs[input].map { Self.isCopied(versions[$0.index], to: layout, draft) } ?? false
            }
            return (request, ranking, choice)
        }
        if side == .device {
            do {
                return try choose(in: .device)
            } catch {
                guard case .noLowering = error else { throw error }
            }
        }
        return try choose(in: .host)
    }

    /// The types of a node's outputs up to the last one that is wanted. Unwanted outputs before it get memory too, so
    /// that lowerings find each output at its position.
    private func outputTypes(
        of node: Graph.Node, _ graph: Graph, _ types: [TensorType?]
    ) throws(PlanningError) -> [TensorType] {
        guard let last = node.outputs.lastIndex(where: { $0 != nil }) else { return [] }
        let known = node.outputs[...last].compactMap { $0.flatMap { types[$0.index] } }
        if known.count == last + 1 { return known }
        do {
            return Array(try graph.inferTypes(of: node, types).prefix(last + 1))
        } catch {
            throw .graph(error)
        }
    }
}
