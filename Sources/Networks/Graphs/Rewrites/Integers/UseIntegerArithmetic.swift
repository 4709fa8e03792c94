import Tensors

/// Computes operators between DequantizeLinear and QuantizeLinear, and QLinearConv and QLinearMatMul, with integers.
///
/// Legal for 8-bit integers with constant scales and zero points, one scale for each value, and for weights one or one
/// for each output channel, when nothing else reads the numbers in between, an activation in between has constant
/// bounds, and the scales of sums are normal numbers, and their largest sum finite in float32 and in 32 bits. A bias is
/// a constant that is said exactly in the scale of the sums: as an integer that differs from it by 2⁻²² of it, or by
/// 2⁻¹⁰ of the result's step, at most. Where it cannot be said, the numbers stay numbers.
///
/// Rounding: sums are multiplied by float32 factors and rounded to the even integer, as in ``QLinearConv``; so are
/// additions and means. A number so near to the middle between two integers that float32 does not tell which is nearer
/// may be rounded to the other.
package struct UseIntegerArithmetic: NodeRewrite {
    package static let name = "UseIntegerArithmetic"
    package static let summary = "Computes operators between DequantizeLinear and QuantizeLinear with integers."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        if node.operation is QLinearConv { return useConvolution(node, at: index, in: &edit) }
        if node.operation is QLinearMatMul { return useProduct(node, at: index, in: &edit) }
        guard node.operation is QuantizeLinear, let y = QuantizedOperand(result: node, edit) else { return }
        guard var (_, origin) = edit.soleOrigin(node.inputs[0]) else { return }
        var range = y.range
        if let bounds = activation(origin, y, edit) {
            guard let next = edit.soleOrigin(origin.inputs[0]) else { return }
            (range, origin) = (bounds, next.node)
        }
        switch origin.operation {
        case let convolution as Conv where convolution.activation == nil:
            useConvolution(origin, convolution, y, range, node, at: index, in: &edit)
        case let product as Gemm where product.alpha == 1 && product.beta == 1 && !product.transA:
            guard product.activation == nil else { return }
            useProduct(origin, isTransposed: product.transB, y, range, node, at: index, in: &edit)
        case let add as Add where add.alignment == nil && add.activation == nil:
            useSum(origin, y, range, node, at: index, in: &edit)
        case is MaxPool, is Reshape, is Flatten, is Transpose, is Squeeze, is Unsqueeze:
            useSame(origin, y, range, node, at: index, in: &edit)
        case is GlobalAveragePool: useMean(origin, y, range, node, at: index, in: &edit)
        case is Concat: useConcatenation(origin, y, range, node, at: index, in: &edit)
        default: return
        }
    }

    /// The range of integers that remains after an activation before QuantizeLinear.
    private func activation(_ node: Graph.Node, _ y: QuantizedOperand, _ edit: GraphEdit) -> ClosedRange<Int32>? {
        let low: Float
        var high = Float.infinity
        switch node.operation {
        case is Relu: low = 0
        case let clip as Clip:
            guard let bounds = edit.bounds(of: node, clip) else { return nil }
            (low, high) = bounds
        default: return nil
        }
        func integer(_ bound: Float) -> Int32 {
            let value = Double((bound / y.scale).rounded(.toNearestOrEven)) + Double(y.zeroPoint)
            return Int32(min(max(value, Double(y.range.lowerBound)), Double(y.range.upperBound)))
        }
        let least = integer(low)
        return least...max(least, integer(high))
    }

    private func useConvolution(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) {
        guard let linear = node.operation as? QLinearConv, let x = node.inputs[0], let weights = node.inputs[3],
            let shape = edit.constant(weights)?.shape, edit.type(x)?.shape.rank ?? 0 >= 3,
            let input = QuantizedOperand(x, edit.constant(node.inputs[1]), edit.constant(node.inputs[2]), edit),
            let result = QuantizedOperand(x, edit.constant(node.inputs[6]), edit.constant(node.inputs[7]), edit),
            let kernel = QuantizedWeights(weights, edit.constant(node.inputs[4]), zeroPoints: node.inputs[5], edit)
        else { return }
        let factors = kernel.scales.map { input.scale * $0 / result.scale }
        let sums = IntegerSums(input, kernel, depth: Array(shape[1...]).saturatingProduct)
        guard factors.allSatisfy({ $0.isFinite }), sums.fit else { return }
        if node.inputs.count > 8, let bias = node.inputs[8] {
            guard let integers = edit.constant(bias)?.elements(as: Int64.self), integers.allSatisfy(sums.fit(with:))
            else { return }
        }
        var replaced = node
        replaced.operation = IntegerConv(
            linear.convolution, inputZeroPoint: input.zeroPoint, weightZeroPoint: kernel.zeroPoint,
            requantization: Requantization(
                .float(factors), zeroPoint: result.zeroPoint, range: result.range, elementType: result.elementType))
        replaced.inputs = [x, weights] + (node.inputs.count > 8 ? [node.inputs[8]] : [])
        edit.replace(index, with: replaced)
        edit.note(node, "became an IntegerConv")
    }

    private func useConvolution(
        _ origin: Graph.Node, _ convolution: Conv, _ y: QuantizedOperand, _ range: ClosedRange<Int32>,
        _ node: Graph.Node, at index: Int, in edit: inout GraphEdit
    ) {
        guard origin.inputs.count <= 3, let x = QuantizedOperand(number: origin.inputs[0], edit),
            let weights = QuantizedWeights(number: origin.inputs[1], axis: 0, edit), edit.constant(weights.value) != nil
        else { return }
        replace(node, at: index, origin, x, weights, convolution, y, range, in: &edit)
    }

    private func useProduct(
        _ origin: Graph.Node, isTransposed: Bool, _ y: QuantizedOperand, _ range: ClosedRange<Int32>,
        _ node: Graph.Node, at index: Int, in edit: inout GraphEdit
    ) {
        guard let x = QuantizedOperand(number: origin.inputs[0], edit), let depth = edit.type(x.value)?.shape,
            depth.rank == 2, let last = depth.dimensions[1].value,
            var weights = QuantizedWeights(number: origin.inputs[1], axis: isTransposed ? 0 : 1, edit),
            let matrix = edit.constant(weights.value), matrix.shape.count == 2,
            let rows = try? (isTransposed ? matrix : matrix.transposed([1, 0])).contiguous(),
            let kernel = try? rows.reshaped(to: rows.shape + [1, 1]), rows.shape[1] == last,
            let shapes = try? [[-1, Int64(last), 1, 1], [-1, Int64(rows.shape[0])]].map({
                try Tensor($0, shape: [$0.count])
            })
        else { return }
        weights.value = edit.addConstant("\(edit.name(weights.value)).kernel", kernel)
        let pixels = edit.addValue("\(origin.name).pixels")
        let sums = edit.addValue("\(origin.name).sums")
        guard
            let operation = convolution(origin, x, weights, Conv(), y, range, in: &edit)
        else { return }
        edit.insert(
            [
                Graph.Node(
                    name: "\(origin.name).pixels", operation: Reshape(),
                    inputs: [x.value, edit.addConstant("\(origin.name).shape", shapes[0])], outputs: [pixels]),
                Graph.Node(
                    name: "\(origin.name).sums", operation: operation.operation,
                    inputs: [pixels, weights.value] + operation.bias, outputs: [sums]),
            ], before: index)
        var replaced = node
        replaced.operation = Reshape()
        replaced.inputs = [sums, edit.addConstant("\(origin.name).shape", shapes[1])]
        edit.replace(index, with: replaced)
        edit.note(origin, "became an IntegerConv")
    }

    /// Replaces a product of quantized matrices by a 1 × 1 convolution whose pixels are the rows.
    private func useProduct(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) {
        guard let a = node.inputs[0], let b = node.inputs[3], let shape = edit.type(a)?.shape, shape.rank >= 2,
            let input = QuantizedOperand(a, edit.constant(node.inputs[1]), edit.constant(node.inputs[2]), edit),
            let result = QuantizedOperand(a, edit.constant(node.inputs[6]), edit.constant(node.inputs[7]), edit),
            let weights = QuantizedWeights(b, edit.constant(node.inputs[4]), zeroPoints: node.inputs[5], edit),
            let matrix = edit.constant(b), matrix.shape.count == 2, matrix.elementCount > 0,
            weights.scales.count == 1 || weights.scales.count == matrix.shape[1]
        else { return }
        let factors = weights.scales.map { input.scale * $0 / result.scale }
        let (depth, columns) = (matrix.shape[0], matrix.shape[1])
        let inner = shape.dimensions.dropFirst().dropLast().map { $0.value.map(Int64.init) }
        guard factors.allSatisfy({ $0.isFinite }), IntegerSums(input, weights, depth: depth).fit, !inner.contains(nil),
            let kernel = try? matrix.transposed([1, 0]).contiguous().reshaped(to: [columns, depth, 1, 1]),
            let shapes = try? [[-1, Int64(depth), 1, 1], [-1] + inner.compactMap { $0 } + [Int64(columns)]].map({
                try Tensor($0, shape: [$0.count])
            })
        else { return }
        let operation = IntegerConv(
            Conv(), inputZeroPoint: input.zeroPoint, weightZeroPoint: weights.zeroPoint,
            requantization: Requantization(
                .float(factors), zeroPoint: result.zeroPoint, range: result.range, elementType: result.elementType))
        let pixels = edit.addValue("\(node.name).pixels")
        let sums = edit.addValue("\(node.name).sums")
        edit.insert(
            [
                Graph.Node(
                    name: "\(node.name).pixels", operation: Reshape(),
                    inputs: [a, edit.addConstant("\(node.name).shape", shapes[0])], outputs: [pixels]),
                Graph.Node(
                    name: "\(node.name).sums", operation: operation,
                    inputs: [pixels, edit.addConstant("\(edit.name(b)).kernel", kernel)], outputs: [sums]),
            ], before: index)
        var replaced = node
        replaced.operation = Reshape()
        replaced.inputs = [sums, edit.addConstant("\(node.name).shape", shapes[1])]
        edit.replace(index, with: replaced)
        edit.note(node, "became an IntegerConv")
    }

    private func replace(
        _ node: Graph.Node, at index: Int, _ origin: Graph.Node, _ x: QuantizedOperand, _ weights: QuantizedWeights,
        _ convolution: Conv, _ y: QuantizedOperand, _ range: ClosedRange<Int32>, in edit: inout GraphEdit
    ) {
        guard let (operation, bias) = self.convolution(origin, x, weights, convolution, y, range, in: &edit) else {
            return
        }
        var replaced = node
        replaced.name = origin.name
        replaced.operation = operation
        replaced.inputs = [x.value, weights.value] + bias
        edit.replace(index, with: replaced)
        edit.note(origin, "became an IntegerConv")
    }

    /// The integer convolution, and its bias as integers with the scale of the sums; nil where that does not say the
    /// same.
    private func convolution(
        _ origin: Graph.Node, _ x: QuantizedOperand, _ weights: QuantizedWeights, _ convolution: Conv,
        _ y: QuantizedOperand, _ range: ClosedRange<Int32>, in edit: inout GraphEdit
    ) -> (operation: IntegerConv, bias: [Graph.ValueID?])? {
        guard let shape = edit.constant(weights.value)?.shape, shape.count > 1, shape[0] > 0 else { return nil }
        let steps = weights.scales.map { Double(x.scale) * Double($0) }
        let factors = steps.map { Float($0 / Double(y.scale)) }
        let sums = IntegerSums(x, weights, depth: Array(shape[1...]).saturatingProduct)
        guard factors.allSatisfy({ $0.isNormal && $0 > 0 }), sums.fit,
            steps.allSatisfy({ Float($0).isNormal && Float(Double(sums.largest) * $0).isFinite })
        else { return nil }
        let operation = IntegerConv(
            convolution, inputZeroPoint: x.zeroPoint, weightZeroPoint: weights.zeroPoint,
            requantization: Requantization(
                .float(factors), zeroPoint: y.zeroPoint, range: range, elementType: y.elementType))
        guard origin.inputs.count > 2, let bias = origin.inputs[2] else { return (operation, []) }
        guard let numbers = QuantizedWeights.numbers(bias, features: shape[0], edit) else { return nil }
        var integers: [Int32] = []
        for (channel, number) in numbers.enumerated() {
            let step = steps[steps.count == 1 ? 0 : channel]
            let integer = (number / step).rounded(.toNearestOrEven)
            let error = abs(integer * step - number)
            guard error <= max(abs(number) * 0x1p-22, Double(y.scale) * 0x1p-10), abs(integer) < 0x1p31,
                sums.fit(with: Int64(integer))
            else { return nil }
            integers.append(Int32(integer))
        }
        guard let tensor = try? Tensor(integers, shape: [integers.count]) else { return nil }
        return (operation, [edit.addConstant("\(edit.name(bias)).integers", tensor)])
    }

    private func useSum(
        _ origin: Graph.Node, _ y: QuantizedOperand, _ range: ClosedRange<Int32>, _ node: Graph.Node, at index: Int,
        in edit: inout GraphEdit
    ) {
        guard let a = QuantizedOperand(number: origin.inputs[0], edit),
            let b = QuantizedOperand(number: origin.inputs[1], edit), a.elementType == b.elementType,
            a.elementType == y.elementType, max(a.scale, b.scale) / y.scale < 0x1p100,
            let operation = try? IntegerAdd(
                inFloat32: a.quantization, b.quantization, y: y.quantization, range: range,
                elementType: y.elementType)
        else { return }
        finish(node, origin, operation, [a.value, b.value], at: index, in: &edit)
    }

    /// Computes an operator that only selects elements of its input, such as maximum pooling, on the integers.
    private func useSame(
        _ origin: Graph.Node, _ y: QuantizedOperand, _ range: ClosedRange<Int32>, _ node: Graph.Node, at index: Int,
        in edit: inout GraphEdit
    ) {
        guard let x = QuantizedOperand(number: origin.inputs[0], edit), x.quantization == y.quantization,
            x.elementType == y.elementType, range == y.range, origin.outputs.count == 1
        else { return }
        finish(node, origin, origin.operation, [x.value] + origin.inputs.dropFirst(), at: index, in: &edit)
    }

    private func useMean(
        _ origin: Graph.Node, _ y: QuantizedOperand, _ range: ClosedRange<Int32>, _ node: Graph.Node, at index: Int,
        in edit: inout GraphEdit
    ) {
        guard let x = QuantizedOperand(number: origin.inputs[0], edit), let shape = edit.type(x.value)?.shape,
            shape.rank == 4, let height = shape.dimensions[2].value, let width = shape.dimensions[3].value,
            x.elementType == y.elementType, height > 0, width > 0
        else { return }
        let factor = Float(Double(x.scale) / Double(y.scale) / Double([height, width].saturatingProduct))
        guard factor.isNormal, [height, width, 256].saturatingProduct < 1 << 31 else { return }
        let operation = IntegerMean(
            axes: ReductionAxes(axes: [2, 3]), inputZeroPoint: x.zeroPoint,
            requantization: Requantization(
                .float([factor]), zeroPoint: y.zeroPoint, range: range, elementType: y.elementType))
        finish(node, origin, operation, [x.value], at: index, in: &edit)
    }

    private func useConcatenation(
        _ origin: Graph.Node, _ y: QuantizedOperand, _ range: ClosedRange<Int32>, _ node: Graph.Node, at index: Int,
        in edit: inout GraphEdit
    ) {
        guard range == y.range else { return }
        var parts: [QuantizedOperand] = []
        for input in origin.inputs {
            guard let x = QuantizedOperand(number: input, edit), x.elementType == y.elementType else { return }
            parts.append(x)
        }
        var inputs: [Graph.ValueID?] = []
        for x in parts {
            if x.quantization == y.quantization {
                inputs.append(x.value)
                continue
            }
            guard let table = x.table(to: y) else { return }
            let rescaled = edit.addValue("\(edit.name(x.value)).rescaled")
            edit.insert(
                [
                    Graph.Node(
                        name: "\(edit.name(x.value)).rescaled", operation: Lookup(),
                        inputs: [x.value, edit.addConstant("\(edit.name(x.value)).table", table)], outputs: [rescaled])
                ], before: index)
            inputs.append(rescaled)
        }
        finish(node, origin, origin.operation, inputs, at: index, in: &edit)
    }

    private func finish(
        _ node: Graph.Node, _ origin: Graph.Node, _ operation: any Operator, _ inputs: [Graph.ValueID?], at index: Int,
        in edit: inout GraphEdit
    ) {
        var replaced = node
        replaced.name = origin.name
        replaced.operation = operation
        replaced.inputs = inputs
        edit.replace(index, with: replaced)
        edit.note(origin, "computes with integers")
    }
}
