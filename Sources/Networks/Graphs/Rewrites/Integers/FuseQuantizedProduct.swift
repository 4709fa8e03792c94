import Tensors

/// Turns a product of 8-bit weights with a value that is quantized just before, or with integers, into one operator.
///
/// Legal where the weights are constants with one zero point: DynamicQuantizeLinear, MatMulInteger, Cast and Mul, as
/// onnxruntime's quantizer writes them; the same with a scale for each row, as `apus quantize --dynamic` writes it; and
/// a MatMul or Gemm of results of DequantizeLinear, with a bias that is a constant row and no addend, where products of
/// scales are normal numbers and sums are finite in float32. QuantizeLinear before DequantizeLinear is taken in where
/// both have the same scale and zero point. Sums have at most 32 bits.
///
/// Rounding: products of a number and weights are not rounded before they are added. NaN, for which QuantizeLinear has
/// no integer, is the zero point.
package struct FuseQuantizedProduct: NodeRewrite {
    package static let name = "FuseQuantizedProduct"
    package static let summary = "Fuses the quantization of a value into the product with 8-bit weights."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        switch node.operation {
        case let multiply as Mul where multiply.alignment == nil: useDynamicProduct(node, at: index, in: &edit)
        case is MatMul: useStaticProduct(node, isTransposed: false, at: index, in: &edit)
        case let gemm as Gemm where gemm.alpha == 1 && gemm.beta == 1 && !gemm.transA:
            useStaticProduct(node, isTransposed: gemm.transB, at: index, in: &edit)
        default: break
        }
    }

    /// Sums that were multiplied by the input's scale and by those of the weights.
    private func useDynamicProduct(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) {
        let leaves = node.inputs.flatMap { factors($0, depth: 2, edit) }
        guard leaves.count == 3,
            let sums = leaves.compactMap({ sums($0, edit) }).first,
            let weights = sums.inputs[1], let matrix = edit.constant(weights), matrix.shape.count == 2,
            matrix.elementType == .int8 || matrix.elementType == .uint8,
            let zeroPoint = zeroPoint(of: sums, edit),
            let scale = leaves.first(where: { edit.constant($0) != nil }),
            let numbers = edit.row(scale, extent: matrix.shape[1], rank: 2),
            let (x, quantization) = source(of: sums, scales: leaves, edit),
            let type = edit.type(x), type.elementType == .float32, type.shape.rank >= 2,
            [255, 255, matrix.shape[0]].saturatingProduct <= Int(Int32.max)
        else { return }
        replace(
            node, at: index, sums.name, QuantizedMatMul(quantization, weightZeroPoint: zeroPoint), [x, weights],
            scales: numbers, in: &edit)
    }

    /// The factors of a product of several values.
    private func factors(_ id: Graph.ValueID?, depth: Int, _ edit: GraphEdit) -> [Graph.ValueID] {
        guard let id else { return [] }
        guard depth > 0, let node = edit.producer(id), let multiply = node.operation as? Mul,
            multiply.alignment == nil
        else { return [id] }
        return node.inputs.flatMap { factors($0, depth: depth - 1, edit) }
    }

    /// The MatMulInteger whose sums a value holds as float32.
    private func sums(_ id: Graph.ValueID, _ edit: GraphEdit) -> Graph.Node? {
        guard let cast = edit.producer(id), (cast.operation as? Cast)?.to == .float32,
            let sums = edit.producer(cast.inputs[0]), sums.operation is MatMulInteger
        else { return nil }
        return sums
    }

    /// The zero point of all weights; nil where they differ.
    private func zeroPoint(of sums: Graph.Node, _ edit: GraphEdit) -> Int32? {
        guard sums.inputs.count > 3, let id = sums.inputs[3] else { return 0 }
        let points = Set(edit.constant(id)?.elements(as: Int32.self) ?? [])
        return points.count == 1 ? points.first : nil
    }

    /// The value that was quantized for a product whose result is multiplied by `scales`.
    private func source(
        of sums: Graph.Node, scales: [Graph.ValueID], _ edit: GraphEdit
    ) -> (Graph.ValueID, InputQuantization)? {
        guard let integers = sums.inputs[0], let quantize = edit.producer(integers) else { return nil }
        let zeroPoint = sums.inputs.count > 2 ? sums.inputs[2] : nil
        if quantize.operation is DynamicQuantizeLinear {
            guard quantize.outputs.count == 3, let scale = quantize.outputs[1], scales.contains(scale),
                quantize.outputs[0] == integers, zeroPoint == quantize.outputs[2], let x = quantize.inputs[0]
            else { return nil }
            return (x, .whole)
        }
        guard zeroPoint.map({ edit.constant($0)?.elements(as: Int32.self).allSatisfy { $0 == 0 } ?? false }) ?? true,
            (quantize.operation as? Cast)?.to == .int8,
            let round = edit.producer(quantize.inputs[0]), round.operation is Round,
            let divide = edit.producer(round.inputs[0]), let division = divide.operation as? Div,
            division.alignment == nil, let x = divide.inputs[0], let scale = divide.inputs[1],
            scales.contains(scale), isScaleOfRows(scale, of: x, edit)
        else { return nil }
        return (x, .byRow)
    }

    /// Whether `scale` is max(max |x| / 127, 2⁻¹²⁶) of each row of `x`.
    private func isScaleOfRows(_ scale: Graph.ValueID, of x: Graph.ValueID, _ edit: GraphEdit) -> Bool {
        guard let maximum = edit.producer(scale), maximum.operation is Max,
            let (quotient, least, _) = edit.numberOperand(maximum), least == Double(InputQuantization.minimumScale),
            let divide = edit.producer(quotient), let division = divide.operation as? Div, division.alignment == nil,
            edit.number(divide.inputs[1]) == Double(InputQuantization.largestInteger),
            let reduce = edit.producer(divide.inputs[0]), let reduction = reduce.operation as? ReduceMax,
            reduction.axes.keepsAxes,
            let magnitudes = edit.producer(reduce.inputs[0]), magnitudes.operation is Abs, magnitudes.inputs[0] == x
        else { return false }
        let given = reduce.inputs.count > 1 ? edit.constant(reduce.inputs[1])?.elements(as: Int64.self) : nil
        guard let axes = given ?? reduction.axes.axes?.map(Int64.init), axes.count == 1,
            let rank = edit.type(x)?.shape.rank
        else {
            return false
        }
        return axes[0] == -1 || Int(axes[0]) == rank - 1
    }

    /// A product of integers that DequantizeLinear turned into numbers.
    private func useStaticProduct(
        _ node: Graph.Node, isTransposed: Bool, at index: Int, in edit: inout GraphEdit
    ) {
        guard let operation = node.operation as? any ActivationFusing, node.inputs.count <= 3,
            let input = QuantizedOperand(number: node.inputs[0], edit), input.elementType.byteCount == 1,
            let rank = edit.type(input.value)?.shape.rank, rank >= 2,
            let weights = QuantizedWeights(number: node.inputs[1], axis: isTransposed ? 0 : 1, edit),
            let stored = edit.constant(weights.value), stored.shape.count == 2,
            let matrix = try? (isTransposed ? stored.transposed([1, 0]) : stored).contiguous()
        else { return }
        let sums = IntegerSums(input, weights, depth: matrix.shape[0])
        guard sums.fit,
            weights.scales.allSatisfy({
                (input.scale * $0).isNormal && (Float(sums.largest) * input.scale * $0).isFinite
            })
        else { return }
        var (x, quantization) = (
            input.value, InputQuantization.integers(scale: input.scale, zeroPoint: input.zeroPoint)
        )
        if let quantize = edit.producer(x), let linear = quantize.operation as? QuantizeLinear, linear.saturates,
            let source = quantize.inputs[0], edit.type(source)?.elementType == .float32,
            let quantized = QuantizedOperand(result: quantize, edit), quantized.hasParameters(of: input)
        {
            x = source
            quantization = .fixed(scale: input.scale, zeroPoint: input.zeroPoint, elementType: input.elementType)
        }
        var inputs: [Graph.ValueID?] = [x, edit.addConstant("\(edit.name(weights.value)).matrix", matrix)]
        if node.inputs.count > 2, let bias = node.inputs[2] {
            guard let numbers = QuantizedWeights.numbers(bias, features: matrix.shape[1], edit),
                let row = try? Tensor(numbers, as: .float32, shape: [numbers.count])
            else { return }
            inputs += [nil, edit.addConstant("\(node.name).bias", row)]
        }
        let product = QuantizedMatMul(
            quantization, weightZeroPoint: weights.zeroPoint, activation: operation.activation)
        let scales = weights.scales.map { Double($0) }
        replace(
            node, at: index, node.name, product, inputs,
            scales: scales.count == 1 ? [Double](repeating: scales[0], count: matrix.shape[1]) : scales, in: &edit)
    }

    private func replace(
        _ node: Graph.Node, at index: Int, _ name: String, _ operation: QuantizedMatMul, _ inputs: [Graph.ValueID?],
        scales: [Double], in edit: inout GraphEdit
    ) {
        guard scales.allSatisfy(\.isFinite), let row = try? Tensor(scales, as: .float32, shape: [scales.count]) else {
            return
        }
        var replaced = node
        replaced.name = name
        replaced.operation = operation
        replaced.inputs = inputs.count > 2 ? inputs : inputs + [nil]
        replaced.inputs[QuantizedMatMul.scalePosition] = edit.addConstant("\(name).scale", row)
        edit.replace(index, with: replaced)
        edit.note(node, "became a product that quantizes its input")
    }
}
