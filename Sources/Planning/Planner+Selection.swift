import Graphs
import Tensors

extension Planner {
    /// Chooses a lowering for every node, and puts copies where layouts differ.
    ///
    /// Nodes are visited in order; each takes the lowering whose expected time for one image on one thread, copies of its
    /// inputs included, is least, so that an image is computed alike in every batch and on any number of threads. On
    /// equal times the earlier backend and lowering wins.
    ///
    /// - Parameters:
    ///   - imageTypes: The types of values for one image; empty when they are not known, and the given types decide.
    ///   - packedWeights: Keeps constants that a lowering reads in another layout.
    func draft(
        _ graph: Graph, _ types: [TensorType?], ofOneImage imageTypes: [TensorType?], _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Draft {
        var draft = Draft()
        // The planned values that hold a graph value, at most one per layout; the first is the original.
        var versions = [[Int]](repeating: [], count: graph.values.count)
        for (index, id) in graph.inputs.enumerated() {
            guard let type = types[id.index] else { continue }
            versions[id.index] = [draft.addValue(graph[id].name, type, .rowMajor, .input(index))]
        }
        for node in graph.nodes {
            for case let input? in node.inputs where versions[input.index].isEmpty {
                guard let tensor = graph.initializers[input] else { continue }
                versions[input.index] = [
                    draft.addValue(graph[input].name, TensorType(tensor), .rowMajor, .constant(tensor))
                ]
            }
            let outputTypes = try outputTypes(of: node, graph, types)
            if outputTypes.isEmpty { continue }
            let request = LoweringRequest(
                node: node,
                inputs: node.inputs.map { $0.flatMap { types[$0.index] } },
                outputs: outputTypes,
                constants: node.inputs.map { $0.flatMap { graph.initializers[$0] } },
                inputLayouts: node.inputs.map {
                    $0.flatMap { versions[$0.index].first }.map { draft.values[$0].layout }
                },
                threadCount: threadCount)
            let choice = try choose(request, ranking: request.forRanking(imageTypes, graph)) { input, layout in
                node.inputs[input].map { Self.isCopied(versions[$0.index], to: layout, draft) } ?? false
            }
            var inputs: [Int?] = []
            for (position, id) in node.inputs.enumerated() {
                guard let id else {
                    inputs.append(nil)
                    continue
                }
                let layout =
                    choice.candidate.inputLayouts.indices.contains(position)
                    ? choice.candidate.inputLayouts[position] : nil
                inputs.append(try version(of: id.index, in: layout, &versions, &draft, packedWeights))
            }
            var outputs: [Int] = []
            for (position, (id, type)) in zip(node.outputs, outputTypes).enumerated() {
                let layout = choice.candidate.outputLayouts[min(position, choice.candidate.outputLayouts.count - 1)]
                let name = id.map { graph[$0].name } ?? ""
                let value = draft.addValue(name, type, layout, .operation(draft.operations.count))
                if let id { versions[id.index] = [value] }
                outputs.append(value)
            }
            draft.append(
                Draft.Operation(
                    node: node, inputs: inputs, outputs: outputs, inputTypes: request.inputs, backend: choice.backend,
                    lowering: choice.lowering, candidate: choice.candidate, considered: choice.considered))
        }
        for id in graph.outputs {
            if versions[id.index].isEmpty, let tensor = graph.initializers[id] {
                versions[id.index] = [draft.addValue(graph[id].name, TensorType(tensor), .rowMajor, .constant(tensor))]
            }
            draft.outputs.append(versions[id.index][0])
        }
        return draft
    }

    /// The types of a node's outputs up to the last that is wanted. Outputs before it that are not wanted get memory all
    /// the same, so that lowerings find each in its place.
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

    struct Choice {
        var backend: String
        var lowering: String
        var candidate: Candidate
        var considered: [Consideration]
    }

    /// - Parameters:
    ///   - ranking: The request whose expected times decide.
    ///   - isCopied: Whether an input has to be copied to have a layout.
    func choose(
        _ request: LoweringRequest, ranking: LoweringRequest, isCopied: (_ input: Int, _ layout: Layout) -> Bool
    ) throws(PlanningError) -> Choice {
        func copyMicroseconds(_ candidate: Candidate, _ request: LoweringRequest) -> Double {
            candidate.inputLayouts.enumerated().reduce(0) { sum, input in
                guard let layout = input.element, let type = request.inputs[input.offset],
                    isCopied(input.offset, layout)
                else { return sum }
                return sum + Self.copyMicroseconds(type)
            }
        }
        var best: (backend: String, lowering: String, candidate: Candidate, total: Double)?
        var considered: [Consideration] = []
        for backend in backends {
            for lowering in backend.lowerings {
                switch lowering.lower(request) {
                case .decline(let reason):
                    considered.append(
                        Consideration(
                            backend: backend.name, lowering: lowering.name, microseconds: nil, copyMicroseconds: 0,
                            reason: reason))
                case .accept(let candidate):
                    let copies = copyMicroseconds(candidate, request)
                    considered.append(
                        Consideration(
                            backend: backend.name, lowering: lowering.name, microseconds: candidate.microseconds,
                            copyMicroseconds: copies, reason: nil))
                    guard case .accept(let ranked) = lowering.lower(ranking) else { continue }
                    let total = ranked.microseconds + copyMicroseconds(ranked, ranking)
                    if total < best?.total ?? .infinity {
                        best = (backend.name, lowering.name, candidate, total)
                    }
                }
            }
        }
        guard let best else {
            throw .noLowering(
                node: request.node.name, operatorName: request.node.operatorName,
                reasons: considered.map { "\($0.backend) \($0.lowering): \($0.reason ?? "")" })
        }
        return Choice(
            backend: best.backend, lowering: best.lowering, candidate: best.candidate, considered: considered)
    }
}
