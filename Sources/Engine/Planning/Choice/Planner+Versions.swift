import Graphs
import Tensors

extension Planner {
    /// Expected microseconds of a copy into another layout: 2 to start, and 10 bytes read and written per nanosecond.
    static func copyMicroseconds(_ type: TensorType) -> Double { 2 + 2 * Double(type.byteCount) / 10_000 }

    /// Whether a graph value with the given versions must be copied to get `layout`.
    static func isCopied(_ versions: [Int], to layout: Layout, _ draft: Draft) -> Bool {
        guard let original = versions.first else { return false }
        let value = draft.values[original]
        if Layout.coincide(value.type.shape) || versions.contains(where: { draft.values[$0].layout == layout }) {
            return false
        }
        if case .constant = value.source { return false }
        return true
    }

    /// The version that work in `space` begins with: the first in that memory, or else the original.
    static func nearest(_ versions: [Int], to space: MemorySpace, _ draft: Draft) -> Int? {
        versions.first { draft.values[$0].space == space } ?? versions.first
    }

    /// The planned value of a graph value in `layout` and `space`. Copies make it when there is none.
    ///
    /// - Parameter node: The node for which the copies are made; nil for copies of outputs.
    func version(
        of index: Int, in layout: Layout?, _ space: MemorySpace, for node: Int?, _ versions: inout [[Int]],
        _ draft: inout Draft, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Int? {
        guard let nearest = Self.nearest(versions[index], to: space, draft) else { return nil }
        let value = draft.values[nearest]
        if case .constant(let tensor) = value.source {
            guard let layout, !layout.describes(tensor.shape, tensor.strides) else { return nearest }
            return draft.addValue(
                value.name, value.type, layout,
                .constant(try arranged(tensor, as: layout, named: value.name, packedWeights)))
        }
        func fits(_ version: Int, _ wanted: Layout) -> Bool {
            draft.values[version].layout == wanted || Layout.coincide(value.type.shape)
        }
        let wanted = layout ?? value.layout
        let same = versions[index].first { draft.values[$0].space == space && fits($0, wanted) }
        if let same { return same }
        var current = versions[index].first { fits($0, wanted) } ?? nearest
        if draft.values[current].space != space {
            // The device copies into the other layout where it can.
            let isOnDevice = space == .device
            if !fits(current, wanted), deviceReorders(value.type, from: value.layout, to: wanted) != isOnDevice {
                current = try reordered(current, to: wanted, for: node, &draft)
                versions[index].append(current)
            }
            current = try transferred(current, to: space, for: node, &draft)
            versions[index].append(current)
        }
        if !fits(current, wanted) {
            current = try reordered(current, to: wanted, for: node, &draft)
            versions[index].append(current)
        }
        return current
    }

    private func reordering(
        _ name: String, _ type: TensorType, from layout: Layout, to wanted: Layout
    ) -> LoweringRequest {
        copying(Reorder(to: wanted), "\(name) → \(wanted.rawValue)", type, layout)
    }

    private func copying(
        _ operation: any Operator, _ name: String, _ type: TensorType, _ layout: Layout
    ) -> LoweringRequest {
        LoweringRequest(
            node: Graph.Node(name: name, operation: operation, inputs: [nil], outputs: [nil]), inputs: [type],
            outputs: [type], constants: [nil], inputLayouts: [layout], threadCount: threadCount)
    }

    private func deviceReorders(_ type: TensorType, from layout: Layout, to wanted: Layout) -> Bool {
        let request = reordering("", type, from: layout, to: wanted)
        return backends.contains { backend in
            backend.space == .device
                && backend.lowerings.contains { if case .accept = $0.lower(request) { true } else { false } }
        }
    }

    /// Appends a copy of a planned value into another layout, in the same memory.
    private func reordered(
        _ original: Int, to layout: Layout, for node: Int?, _ draft: inout Draft
    ) throws(PlanningError) -> Int {
        let value = draft.values[original]
        let request = reordering(value.name, value.type, from: value.layout, to: layout)
        let choice = try choose(request, ranking: request, in: value.space) { _, _ in false }
        let copy = draft.addValue(
            value.name, value.type, layout, .operation(draft.operations.count), in: value.space)
        draft.append(
            Draft.Operation(
                nodeIndex: node, request: request, ranking: request, inputs: [original], outputs: [copy],
                choice: choice))
        return copy
    }

    /// Appends a copy of a planned value into another memory, in the same layout.
    func transferred(
        _ original: Int, to space: MemorySpace, for node: Int?, _ draft: inout Draft
    ) throws(PlanningError) -> Int {
        let value = draft.values[original]
        guard let backend = deviceBackend, let device = backend.device else { throw .missingOperand(0) }
        let lowering = TransferLowering(target: space, device: device)
        let request = copying(
            Transfer(to: space), "\(value.name) → \(space == .device ? backend.name : "host")", value.type, value.layout
        )
        guard case .accept(let candidate, _) = lowering.lower(request) else { throw .missingOperand(0) }
        let contender = Contender(
            backend: backend, lowering: lowering, candidate: candidate, expected: candidate.microseconds, copies: 0,
            measured: nil)
        let copy = draft.addValue(value.name, value.type, value.layout, .operation(draft.operations.count), in: space)
        draft.append(
            Draft.Operation(
                nodeIndex: node, request: request, ranking: request, inputs: [original], outputs: [copy],
                choice: Choice(contender: contender, contenders: [contender], considered: [])))
        return copy
    }

    private func arranged(
        _ tensor: Tensor, as layout: Layout, named name: String, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Tensor {
        do {
            return try packedWeights.tensor(tensor, packing: layout.rawValue) { try $0.arranged(as: layout) }
        } catch let error as TensorError {
            throw .tensor(error)
        } catch {
            throw .run(node: name, operatorName: "", message: "\(error)")
        }
    }
}
