import Graphs
import Tensors

extension Planner {
    /// Expected time of a copy into another layout: 10 bytes read and written per nanosecond, and 2 µs to start.
    static func copyMicroseconds(_ type: TensorType) -> Double { 2 + 2 * Double(type.byteCount) / 10_000 }

    /// Whether a graph value that is held by `versions` has to be copied to have `layout`.
    static func isCopied(_ versions: [Int], to layout: Layout, _ draft: Draft) -> Bool {
        guard let original = versions.first else { return false }
        let value = draft.values[original]
        if Layout.coincide(value.type.shape) || versions.contains(where: { draft.values[$0].layout == layout }) {
            return false
        }
        if case .constant = value.source { return false }
        return true
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
        let choice = try choose(request, ranking: request) { _, _ in false }
        let copy = draft.addValue(value.name, value.type, layout, .operation(draft.operations.count))
        draft.append(
            Draft.Operation(
                request: request, ranking: request, inputs: [original], outputs: [copy], choice: choice))
        versions[index].append(copy)
        return copy
    }
}
