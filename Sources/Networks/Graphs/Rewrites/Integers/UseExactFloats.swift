import Tensors

/// Computes a grouped convolution of integers in float32 when its sums are converted to float32.
///
/// Legal when nothing else reads the sums, weights are constants, and float32 holds every sum exactly: a sum has at
/// most 258 products of 8-bit integers minus their zero points, since 258 · 255² < 2²⁴.
package struct UseExactFloats: NodeRewrite {
    package static let name = "UseExactFloats"
    package static let summary = "Computes grouped convolutions of integers in float32 where their sums are exact."
    package static let isExportable = false

    private static let maximumProductCount = 258

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let cast = node.operation as? Cast, cast.to == .float32,
            let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            let integers = origin.operation as? ConvInteger, integers.convolution.group > 1,
            let x = origin.inputs[0], let type = edit.type(x),
            let weights = edit.constant(origin.inputs[1]), weights.shape.count >= 3,
            Array(weights.shape[1...]).saturatingProduct <= Self.maximumProductCount
        else { return }
        var zeroPoints: Tensor?
        if origin.inputs.count > 3, let id = origin.inputs[3] {
            guard let constant = edit.constant(id) else { return }
            zeroPoints = constant
        }
        let numbers: Tensor
        do {
            numbers = try weights.centered(try zeroPoints?.alongFirstAxis(rank: weights.shape.count))
                .converted(to: .float32)
        } catch {
            throw .rewrite(name: Self.name, message: "\(error)")
        }
        func value(_ suffix: String, _ shape: Shape?) -> Graph.ValueID {
            edit.addValue("\(origin.name).\(suffix)", shape.map { SymbolicType(.float32, $0) })
        }
        var steps: [Graph.Node] = []
        var input = value("x", type.shape)
        steps.append(
            Graph.Node(
                name: "\(origin.name).cast", operation: Cast(to: .float32), inputs: [x], outputs: [input]))
        if origin.inputs.count > 2, let zeroPoint = origin.inputs[2] {
            let (point, centered) = (
                value("x_zero_point", edit.type(zeroPoint)?.shape), value("x_centered", type.shape)
            )
            steps += [
                Graph.Node(
                    name: "\(origin.name).x_zero_point.cast", operation: Cast(to: .float32), inputs: [zeroPoint],
                    outputs: [point]),
                Graph.Node(
                    name: "\(origin.name).center", operation: Sub(), inputs: [input, point], outputs: [centered]),
            ]
            input = centered
        }
        edit.insert(steps, before: index)
        var convolution = node
        convolution.name = origin.name
        convolution.operation = integers.convolution
        convolution.inputs = [input, edit.addConstant("\(origin.name).weight", numbers)]
        edit.replace(index, with: convolution)
        edit.remove(producer)
        edit.note(origin, "became a Conv in float32")
    }
}
