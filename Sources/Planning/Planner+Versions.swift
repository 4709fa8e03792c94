import Graphs
import Tensors

extension Planner {
    /// Expected time of a copy into another layout: 10 bytes read and written per nanosecond, and 2 µs to start.
    static func copyMicroseconds(_ versions: [Int], to layout: Layout, _ draft: Draft) -> Double {
        guard let original = versions.first else { return 0 }
        let type = draft.values[original].type
        if Layout.coincide(type.shape) || versions.contains(where: { draft.values[$0].layout == layout }) { return 0 }
        if case .constant = draft.values[original].source { return 0 }
        return 2 + 2 * Double(type.byteCount) / 10_000
    }

    /// The planned value that holds a graph value in `layout`, made by a copy when there is none.
    func version(
        of index: Int, in layout: Layout?, _ versions: inout [[Int]], _ draft: inout Draft,
        _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Int? {
        guard let original = versions[index].first else { return nil }
        guard let layout else { return original }
        let value = draft.values[original]
        if case .constant(let tensor) = value.source {
            if layout.describes(tensor.shape, tensor.strides) { return original }
            let arranged: Tensor
            do {
                arranged = try packedWeights.tensor(tensor, packing: layout.rawValue) { try $0.arranged(as: layout) }
            } catch let error as TensorError {
                throw .tensor(error)
            } catch {
                throw .run(node: value.name, operatorName: "", message: "\(error)")
            }
            return draft.addValue(value.name, value.type, layout, .constant(arranged))
        }
        if Layout.coincide(value.type.shape) { return original }
        if let same = versions[index].first(where: { draft.values[$0].layout == layout }) { return same }
        let node = Graph.Node(
            name: "\(value.name) → \(layout.rawValue)", operation: Reorder(to: layout), inputs: [nil], outputs: [nil])
        let request = LoweringRequest(
            node: node, inputs: [value.type], outputs: [value.type], constants: [nil], inputLayouts: [value.layout],
            threadCount: threadCount)
        let choice = try choose(request) { _, _ in 0 }
        let copy = draft.addValue(value.name, value.type, layout, .operation(draft.operations.count))
        draft.append(
            Draft.Operation(
                node: node, inputs: [original], outputs: [copy], inputTypes: [value.type], backend: choice.backend,
                lowering: choice.lowering, candidate: choice.candidate, considered: choice.considered))
        versions[index].append(copy)
        return copy
    }
}
