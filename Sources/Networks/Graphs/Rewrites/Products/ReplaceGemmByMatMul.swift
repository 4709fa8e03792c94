import Tensors

/// Replaces Gemm between two shapes of rows by MatMul of the stack of rows, so that the stack keeps its axes.
///
/// Reshape(x W + c) to [..., N], where x is a matrix that was made by Reshape, is Reshape(x to [..., K]) W + c. Legal
/// when the weights are constant, the factors are 1, and nothing else reads the result in between.
package struct ReplaceGemmByMatMul: NodeRewrite {
    package static let name = "ReplaceGemmByMatMul"
    package static let summary = "Replaces Gemm between two Reshapes by MatMul and Add."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.operation is Reshape, let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            let product = origin.operation as? Gemm, product.isPlain, let input = origin.inputs[0],
            edit.producer(input)?.operation is Reshape,
            let weights = edit.constant(origin.inputs[1]), weights.elementType == .float32,
            let type = edit.type(node.outputs[0]), type.shape.rank >= 3,
            let shape = edit.constant(node.inputs.count > 1 ? node.inputs[1] : nil)
        else { return }
        var extents = shape.elements(as: Int64.self)
        let (depth, width) = (weights.shape[product.transB ? 1 : 0], weights.shape[product.transB ? 0 : 1])
        guard type.shape.dimensions.last?.value == width, !extents.isEmpty, !extents.contains(0) else { return }
        extents[extents.count - 1] = Int64(depth)
        let bias = origin.inputs.count > 2 ? origin.inputs[2] : nil
        var row: Tensor?
        if let bias {
            guard let numbers = edit.row(bias, extent: width, rank: 2) else { return }
            row = try? Tensor(numbers, as: .float32, shape: [width])
            guard row != nil else { return }
        }
        guard let matrix = product.transB ? try? weights.transposed([1, 0]).contiguous() : weights,
            let target = try? Tensor(extents, shape: [extents.count])
        else { return }
        let elements = SymbolicType(.float32, Shape(type.shape.dimensions.dropLast() + [.fixed(depth)]))
        let stack = edit.addValue("\(origin.name).stack", elements)
        let reshape = Graph.Node(
            name: "\(origin.name).stack", operation: Reshape(),
            inputs: [input, edit.addConstant("\(origin.name).shape", target)], outputs: [stack])
        var matMul = Graph.Node(
            name: origin.name, operation: MatMul(),
            inputs: [stack, edit.addConstant("\(origin.name).weight", matrix)], outputs: node.outputs)
        guard let row else {
            edit.insert([reshape], before: index)
            edit.replace(index, with: matMul)
            edit.remove(producer)
            edit.note(origin, "is MatMul")
            return
        }
        let result = edit.addValue("\(origin.name).product", type)
        matMul.outputs = [result]
        edit.insert([reshape, matMul], before: index)
        edit.replace(
            index,
            with: Graph.Node(
                name: "\(origin.name).bias", operation: Add(),
                inputs: [result, edit.addConstant("\(origin.name).bias", row)], outputs: node.outputs))
        edit.remove(producer)
        edit.note(origin, "is MatMul and Add")
    }
}

extension Gemm {
    /// Whether it computes a · b + c or a · bᵀ + c, and nothing after it.
    fileprivate var isPlain: Bool { alpha == 1 && beta == 1 && !transA && activation == nil }
}
