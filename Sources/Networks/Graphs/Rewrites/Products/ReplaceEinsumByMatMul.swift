import Tensors

/// Replaces an Einsum that is one product of two stacks of matrices by a MatMul between transpositions, so that
/// rewrites and kernels for MatMul serve both.
///
/// Legal when the labels that both operands share have the same extents in both.
package struct ReplaceEinsumByMatMul: NodeRewrite {
    package static let name = "ReplaceEinsumByMatMul"
    package static let summary = "Replaces an Einsum that is a product of matrices by a MatMul."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let einsum = node.operation as? Einsum, let product = einsum.parsed.product,
            let first = operand(0, node, product, product.batch + [product.row, product.summed], edit),
            let second = operand(1, node, product, product.batch + [product.summed, product.column], edit)
        else { return }
        let shared = product.batch + [product.summed]
        guard shared.allSatisfy({ first.extents[$0] == second.extents[$0] }) else { return }
        var added: [Graph.Node] = []
        let inputs = [first, second].enumerated().map { position, operand in
            transposed(
                operand.value, operand.type, operand.order, "\(node.name)/operand\(position)", &added, &edit)
        }
        let labels = product.batch + [product.row, product.column]
        let order = product.result.compactMap { labels.firstIndex(of: $0) }
        let extents = first.extents.merging(second.extents) { extent, _ in extent }
        var matrix = node
        matrix.operation = MatMul()
        matrix.inputs = inputs
        if order == Array(labels.indices) {
            edit.insert(added, before: index)
            edit.replace(index, with: matrix)
        } else {
            let type = SymbolicType(first.type.elementType, Shape(labels.compactMap { extents[$0] }))
            let result = edit.addValue("\(node.name).product", type)
            matrix.outputs = [result]
            added.append(matrix)
            edit.insert(added, before: index)
            edit.replace(
                index,
                with: Graph.Node(
                    name: "\(node.name)/result", operation: Transpose(permutation: order), inputs: [result],
                    outputs: node.outputs))
        }
        edit.note(node, "became a MatMul")
    }

    /// An operand, its type, the extents of its labels, and the order in which a product takes its axes.
    private typealias Operand = (
        value: Graph.ValueID, type: SymbolicType, extents: [Character: Dimension], order: [Int]
    )

    private func operand(
        _ position: Int, _ node: Graph.Node, _ product: EinsumEquation.Product, _ wanted: [Character],
        _ edit: GraphEdit
    ) -> Operand? {
        let labels = product.operands[position]
        guard let value = node.inputs[position], let type = edit.type(value), type.shape.rank == labels.count,
            type.elementType == .float32 || type.elementType == .float64
        else { return nil }
        let order = wanted.compactMap { labels.firstIndex(of: $0) }
        guard order.count == labels.count else { return nil }
        return (value, type, Dictionary(uniqueKeysWithValues: zip(labels, type.shape.dimensions)), order)
    }

    private func transposed(
        _ value: Graph.ValueID, _ type: SymbolicType, _ order: [Int], _ name: String, _ added: inout [Graph.Node],
        _ edit: inout GraphEdit
    ) -> Graph.ValueID {
        guard order != Array(order.indices) else { return value }
        let shape = Shape(order.map { type.shape.dimensions[$0] })
        let result = edit.addValue(name, SymbolicType(type.elementType, shape))
        added.append(
            Graph.Node(name: name, operation: Transpose(permutation: order), inputs: [value], outputs: [result]))
        return result
    }
}
