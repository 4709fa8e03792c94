import Graphs
import Planning
import Tensors

/// Attention as a scaled product, Softmax and a product, with scores in scratch memory: of all images, or of as many as
/// its size allows, one group after another.
struct AttentionLowering: Lowering {
    let name = "attention"
    let device: DeviceInformation
    let speed: OpenCLSpeed
    let tiles: [TileShape]

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let attention = request.operation as? ScaledDotProductAttention else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard request.constants.prefix(3).allSatisfy({ $0 == nil }) else {
            return .decline("rows are part of the network")
        }
        let scores = [attention.headCount, attention.query.rowCount, attention.key.rowCount]
        let count = scores.saturatingProduct
        let types = request.inputs.compactMap { $0 } + request.outputs
        guard count <= Int(Int32.max), types.allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let imageCount = attention.isBatched ? request.outputs[0].shape[0] : 1
        let biasCount = request.inputs.optional(3).map { attention.biasShape($0)[0] } ?? 1
        let possibleCount = max(1, min(imageCount, maximumScores / max(count, 1)))
        let groupCount = possibleCount - possibleCount % biasCount
        guard groupCount > 0 else { return .decline("the bias differs between more images than run at a time") }
        // Two products and Softmax, and the addition of a bias.
        let kernelCount = request.inputs.optional(3) == nil ? 3 : 4
        return .accept(
            Candidate(
                microseconds: Double(kernelCount - 1) * speed.startMicroseconds
                    + speed.microseconds(
                        multiplyAdds: request.cost.multiplyAdds, byteCount: request.cost.bytes + 24 * count,
                        efficiency: 0.3),
                inputLayouts: request.inputs.map { _ in .rowMajor }, outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false, scratchByteCount: groupCount * count * MemoryLayout<Float>.stride,
                makeDeviceStep: { operands in
                    KernelStep(
                        try stride(from: 0, to: imageCount, by: groupCount).flatMap { first in
                            try calls(attention, images: first..<min(first + groupCount, imageCount), operands)
                        })
                }))
    }

    /// The maximum scores in scratch memory, unless one image has more.
    private var maximumScores: Int { min(64 << 20, device.maximumAllocationByteCount / 32) }

    private func calls(
        _ attention: ScaledDotProductAttention, images: Range<Int>, _ operands: StepOperands
    ) throws -> [KernelCall] {
        let (query, key, value) = (attention.query, attention.key, attention.value)
        let (heads, rows, keys) = (attention.headCount, query.rowCount, key.rowCount)
        var scores = operands.scratch.floats(from: 0, count: images.count * heads * rows * keys)
        scores.shape = [images.count, heads, rows, keys]
        scores.strides = Layout.rowMajor.strides(scores.shape)
        func part(_ index: Int, _ view: ScaledDotProductAttention.HeadView) throws -> Operand {
            let operand = try operands.input(index)
            return operand.floats(from: view.position(images.lowerBound, 0, 0), count: operand.elementCount)
        }
        func division(_ columns: Int, _ depth: Int) throws -> SplitK {
            let product = Product(
                rows: rows, columns: columns, depth: depth, stack: images.count * heads, isDivisible: false)
            guard let division = product.bestDivision(tiles, at: speed) else { throw PlanningError.missingOperand(0) }
            return division
        }
        let zeros = try Tensor(
            [Float](repeating: 0, count: max(keys, value.size).roundedUp(to: 4)),
            shape: [max(keys, value.size).roundedUp(to: 4)])
        let products = MatrixCalls(
            stack: images.count * heads, innerCount: heads, rows: rows, columns: keys, depth: query.size,
            left: try part(0, query), leftStackStride: query.headStride, leftOuterStride: query.batchStride,
            leftRowStride: query.rowStride, right: .operand(try part(1, key)), rightStackStride: key.headStride,
            rightOuterStride: key.batchStride, rightRowStride: 1, rightColumnStride: key.rowStride, rightColumns: keys,
            isRightPadded: false, bias: .constant(zeros, packing: "zeros") { $0 }, output: scores,
            outputStackStride: rows * keys, outputOuterStride: heads * rows * keys, outputRowStride: keys,
            factor: Float(attention.scale))
        var values: [Operand] = [scores]
        var stages: [ElementwiseChain.Stage] = []
        if let bias = try operands.optionalInput(3)?.onDevice() {
            stages.append(ElementwiseChain.Stage(function: "stage_add", operand: 1))
            // A bias of several images is that of all images whose number has the same remainder.
            let count = bias.shape.count == 4 ? bias.shape[0] : 1
            values[0].shape = [images.count / count, count, heads, rows, keys]
            values[0].strides = Layout.rowMajor.strides(values[0].shape)
            values.append(bias)
        }
        let chain = ElementwiseChain(operands: Array(values.indices), stages: stages)
        let putsRowsFirst = attention.putsRowsFirst
        let output = operands.outputs[0].floats(
            from: images.lowerBound * heads * rows * value.size, count: images.count * heads * rows * value.size)
        let summed = try part(2, value)
        let sums = MatrixCalls(
            stack: images.count * heads, innerCount: heads, rows: rows, columns: value.size, depth: keys, left: scores,
            leftStackStride: rows * keys, leftOuterStride: heads * rows * keys, leftRowStride: keys,
            right: .operand(summed), rightStackStride: value.headStride, rightOuterStride: value.batchStride,
            rightRowStride: value.rowStride, rightColumns: value.size,
            isRightPadded: [
                summed.position, value.size, value.rowStride, value.headStride, value.batchStride,
            ].vectorWidth == 4,
            bias: .constant(zeros, packing: "zeros") { $0 }, output: output,
            outputStackStride: putsRowsFirst ? value.size : rows * value.size,
            outputOuterStride: heads * rows * value.size,
            outputRowStride: putsRowsFirst ? heads * value.size : value.size)
        return try products.calls(division(keys, query.size), scratch: operands.scratch)
            + (stages.isEmpty ? [] : chain.calls(values, to: values[0]))
            + [SoftmaxLowering.call(ReductionGroup(device, length: keys), along: [3], from: scores, to: scores)]
            + sums.calls(division(value.size, keys), scratch: operands.scratch)
    }
}
