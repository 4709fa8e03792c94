import Graphs
import Tensors

extension Planner {
    /// Chooses where every node runs, and a lowering for it.
    ///
    /// - Parameter isPart: As for ``plan(_:inputShapes:packedWeights:isPart:)``.
    func draft(
        _ prepared: Prepared, _ packedWeights: PackedWeights, isPart: Bool = false
    ) throws(PlanningError) -> Draft {
        let imageTypes = prepared.batch?.ofOneImage ?? []
        let orders = ImageOrder.all(prepared.graph, prepared.batch, isPart: isPart)
        func draft(_ sides: [MemorySpace]) throws(PlanningError) -> Draft {
            try self.draft(
                prepared.graph, prepared.types, ofOneImage: imageTypes, orders: orders, packedWeights, sides: sides)
        }
        let nodes = prepared.graph.nodes
        let host = nodes.map { _ in MemorySpace.host }
        guard let device = deviceBackend?.device else { return try draft(host) }
        if case .chosen(let isOnDevice) = deviceUse {
            return try fitting(device, nodeCount: nodes.count) { (excluded) throws(PlanningError) in
                try draft(nodes.indices.map { isOnDevice($0) && !excluded.contains($0) ? .device : .host })
            }
        }
        let costs = SideCosts(
            nodes.count, host: try draft(host), device: try draft(nodes.map { _ in .device }),
            isDeviceDemanded: deviceUse.isDemand)
        return try fitting(device, nodeCount: nodes.count) { (excluded) throws(PlanningError) in
            try draft(costs.without(excluded).cheapestSides(prepared.graph, prepared.types, device))
        }
    }
}

extension DeviceUse {
    fileprivate var isDemand: Bool { if case .wherePossible = self { true } else { false } }
}

/// The costs of running each node on either side.
private struct SideCosts {
    /// Nanoseconds; ``MinimumCut/forbidden`` where the node cannot or must not run there.
    var host: [Int]
    var device: [Int]
    /// The costs of running on the processor, where the device is demanded.
    private var hostUndemanded: [Int] = []

    /// - Parameters:
    ///   - host: The network with every node on the processor.
    ///   - device: The network with as many nodes on the device as possible.
    ///   - isDeviceDemanded: Whether every node that can run on the device must run there.
    init(_ nodeCount: Int, host: Draft, device: Draft, isDeviceDemanded: Bool) {
        self.host = [Int](repeating: 0, count: nodeCount)
        self.device = self.host
        for operation in host.operations { operation.nodeIndex.map { self.host[$0] += operation.nanoseconds } }
        hostUndemanded = self.host
        for operation in device.operations where operation.transfer == nil {
            guard let node = operation.nodeIndex else { continue }
            self.device[node] = min(self.device[node] + operation.nanoseconds, MinimumCut.forbidden)
            guard !operation.isCopy else { continue }
            if operation.backend.space == .host {
                self.device[node] = MinimumCut.forbidden
            } else if isDeviceDemanded, !operation.candidate.isInPlace {
                self.host[node] = MinimumCut.forbidden
            }
        }
    }

    /// The costs when some nodes must not run on the device.
    func without(_ excluded: Set<Int>) -> SideCosts {
        var costs = self
        for node in excluded { (costs.host[node], costs.device[node]) = (hostUndemanded[node], MinimumCut.forbidden) }
        return costs
    }

    /// The sides of the nodes at minimum total cost. Each value is copied once for all its readers on the other side.
    /// Inputs come from the processor's memory, and outputs go there.
    func cheapestSides(_ graph: Graph, _ types: [TensorType?], _ device: any Device) -> [MemorySpace] {
        // The source's side is the processor's.
        var cut = MinimumCut()
        let vertices = graph.nodes.indices.map { _ in cut.addVertex() }
        for (node, vertex) in vertices.enumerated() {
            cut.addCost(host[node], first: vertex, second: MinimumCut.sink)
            cut.addCost(self.device[node], first: MinimumCut.source, second: vertex)
        }
        var producer: [Int: Int] = [:]
        var readers: [Int: [Int]] = [:]
        for id in graph.inputs { producer[id.index] = MinimumCut.source }
        for (node, vertex) in zip(graph.nodes, vertices) {
            for case let id? in node.outputs { producer[id.index] = vertex }
            for case let id? in node.inputs { readers[id.index, default: []].append(vertex) }
        }
        for id in graph.outputs { readers[id.index, default: []].append(MinimumCut.source) }
        for (value, vertex) in producer.sorted(by: { $0.key < $1.key }) {
            guard let type = types[value], let readers = readers[value] else { continue }
            let cost = Int(device.transferMicroseconds(byteCount: type.byteCount) * 1000)
            let upload = cut.addVertex()
            cut.addCost(cost, first: vertex, second: upload)
            for reader in readers { cut.addCost(MinimumCut.forbidden, first: upload, second: reader) }
            guard vertex != MinimumCut.source else { continue }
            let download = cut.addVertex()
            cut.addCost(cost, first: download, second: vertex)
            for reader in readers { cut.addCost(MinimumCut.forbidden, first: reader, second: download) }
        }
        let isOnHost = cut.sourceSide()
        return vertices.map { isOnHost[$0] ? .host : .device }
    }
}

extension Draft.Operation {
    /// Whether the operation is a copy between layouts that the node's lowering asked for.
    fileprivate var isCopy: Bool { node.operation is Reorder }

    /// The expected time of the whole batch, or the measured time of as many images.
    fileprivate var nanoseconds: Int {
        let contender = choice.contender
        guard let measured = contender.measured, let output = request.outputs.first,
            let image = ranking.outputs.first
        else { return Int(contender.candidate.microseconds * 1000) }
        let images = Double(output.elementCount) / Double(max(image.elementCount, 1))
        return Int(measured.microseconds * images * 1000)
    }
}
