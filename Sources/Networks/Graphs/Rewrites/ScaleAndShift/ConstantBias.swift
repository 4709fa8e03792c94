import Tensors

/// The constant bias of a convolution or a product, which is its third input: a number for each channel or column.
struct ConstantBias {
    /// Zeros where the node has no bias.
    var numbers: [Double]
    private let value: Graph.ValueID?

    /// - Returns: nil when the bias is no constant of `count` numbers.
    init?(of node: Graph.Node, count: Int, _ edit: GraphEdit) {
        value = node.inputs.count > 2 ? node.inputs[2] : nil
        guard let value else {
            numbers = [Double](repeating: 0, count: count)
            return
        }
        guard let constant = edit.constant(value), constant.elementCount == count else { return nil }
        numbers = constant.elements(as: Double.self)
    }

    /// Makes `tensor` the bias of `node`.
    func replace(by tensor: Tensor, in node: inout Graph.Node, _ edit: inout GraphEdit) {
        let bias = value.map { edit.revise($0, tensor) } ?? edit.addConstant("\(node.name).bias", tensor)
        if node.inputs.count > 2 { node.inputs[2] = bias } else { node.inputs.append(bias) }
    }
}
