import Graphs
import Tensors

extension Planner {
    /// The layers of a network that measured times can choose lowerings for.
    package struct TunableLayers: Sendable {
        /// One layer per signature, in the order of running.
        package let layers: [TunableLayer]
        /// Bytes that one execution of the network reads and writes: weights, and the values between layers.
        package let byteCount: Int
    }

    /// Finds the layers that measured times can choose lowerings for.
    ///
    /// Earlier choices decide in which layouts inputs lie, so new layers may appear after some were measured. Layers
    /// that run strip by strip with others are left out, because they take a different time alone.
    ///
    /// - Parameters: As for ``plan(_:inputShapes:packedWeights:)``.
    ///   - comparesSides: Whether the times will decide between the processor and a device.
    package func tunableLayers(
        _ graph: Graph, inputShapes: [[Int]], packedWeights: PackedWeights, comparesSides: Bool = false
    ) throws(PlanningError) -> TunableLayers {
        let batch = BatchTypes(graph, inputShapes: inputShapes)
        let prepared = try prepare(graph, inputShapes, batch)
        var draft = try draft(prepared, packedWeights)
        planStrips(&draft)
        let chained = Set(draft.chains.flatMap { draft.operations[$0.operations].compactMap(\.ranking.signature) })
        var layers: [TunableLayer] = []
        var position: [LayerSignature: Int] = [:]
        for operation in draft.operations {
            guard let layer = TunableLayer(operation, isComparedAcross: comparesSides),
                !chained.contains(layer.signature)
            else { continue }
            if let known = position[layer.signature] {
                layers[known].count += 1
            } else {
                position[layer.signature] = layers.count
                layers.append(layer)
            }
        }
        let constants = draft.values.filter { if case .constant = $0.source { true } else { false } }
        return TunableLayers(
            layers: layers,
            byteCount: constants.reduce(MemoryPlan(draft).arenaByteCount) { $0 + $1.type.byteCount })
    }

    /// Makes a plan of one layer with one of its contenders. Its inputs are the layer's inputs that are not constants,
    /// each dense in the layout that the contender reads. Its outputs stay in the memory where the contender writes
    /// them.
    ///
    /// - Parameter isWhole: Whether inputs and outputs lie row-major in the processor's memory instead, like those of a
    ///   network, so that results of contenders can be compared.
    func plan(
        _ layer: TunableLayer, by contender: Contender, packedWeights: PackedWeights, isWhole: Bool = false
    ) throws(PlanningError) -> Plan {
        let request = layer.request
        let candidate = contender.candidate
        let space = contender.backend.space
        var draft = Draft(largeOutputByteCount: .max)
        var ports: [Plan.Port] = []
        var inputs: [Int?] = []
        for (index, type) in request.inputs.enumerated() {
            guard let type else {
                inputs.append(nil)
                continue
            }
            let wanted = candidate.inputLayouts.indices.contains(index) ? candidate.inputLayouts[index] : nil
            if let tensor = request.constants[index] {
                var versions = [[draft.addValue("", type, .rowMajor, .constant(tensor))]]
                inputs.append(
                    try version(of: 0, in: wanted, .host, for: nil, &versions, &draft, packedWeights))
                continue
            }
            let layout = wanted ?? request.inputLayouts[index] ?? .rowMajor
            if isWhole {
                var versions = [[draft.addValue("", type, .rowMajor, .input(ports.count))]]
                inputs.append(
                    try version(of: 0, in: layout, space, for: nil, &versions, &draft, packedWeights))
            } else {
                let value = draft.addValue("", type, layout, .input(ports.count))
                inputs.append(space == .host ? value : try transferred(value, to: space, for: nil, &draft))
            }
            ports.append(Plan.Port(name: "", type: type, runCount: 1))
        }
        let operation = draft.operations.count
        let outputs = request.outputs.enumerated().map { index, type in
            let layout = candidate.outputLayouts[min(index, candidate.outputLayouts.count - 1)]
            return draft.addValue("", type, layout, .operation(operation), in: space)
        }
        let choice = Choice(contender: contender, contenders: [contender], considered: [])
        draft.append(
            Draft.Operation(request: request, ranking: request, inputs: inputs, outputs: outputs, choice: choice))
        draft.outputs = outputs
        if isWhole, space == .device {
            draft.outputs = []
            for output in outputs { draft.outputs.append(try transferred(output, to: .host, for: nil, &draft)) }
        }
        return try assemble(
            draft, inputs: ports, outputNames: outputs.map { _ in "" },
            Batching(runCount: 1, reason: "a layer is measured"), packedWeights)
    }

    /// The contender that the processor would use for the layer.
    func processorContender(for layer: TunableLayer) throws(PlanningError) -> Contender {
        try choose(layer.request, ranking: layer.request, in: .host) { _, _ in false }.contender
    }
}
