import Tensors

/// Blocks of pixels rearranged into channels.
///
/// y[n, (i · b + j) · C + c, h, w] = x[n, c, h · b + i, w · b + j], where b is `blocksize`.
///
/// Shapes: [N, C, H, W] → [N, C · b², H / b, W / b].
/// Attributes: `blocksize` (required).
/// Reference: https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html
package struct SpaceToDepth: Operator {
    package static let name = "SpaceToDepth"
    package static let inputCount = 1...1
    package var blockSize: Int

    package init(blockSize: Int) {
        self.blockSize = blockSize
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let size = try attributes.int("blocksize") else { throw .invalid("attribute \"blocksize\" is missing") }
        try SpatialWindow.check("blocksize", [size], least: 1)
        blockSize = size
    }

    package var attributes: [String: AttributeValue] { ["blocksize": .int(Int64(blockSize))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.rank == 4, x.shape[2] % blockSize == 0, x.shape[3] % blockSize == 0 else {
            throw .invalid("input \(x.shape) does not have 4 axes and pixels in multiples of \(blockSize)")
        }
        let channels = try [x.shape[1], blockSize, blockSize].product(of: "channels")
        return [TensorType(x.elementType, [x.shape[0], channels, x.shape[2] / blockSize, x.shape[3] / blockSize])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        if outputTypes[0].elementCount == 0 { return [try Tensor(zeros: x.elementType, shape: outputTypes[0].shape)] }
        let shape = outputTypes[0].shape
        let split = try x.reshaped(to: [shape[0], x.shape[1], shape[2], blockSize, shape[3], blockSize])
        return [try split.transposed([0, 3, 5, 1, 2, 4]).reshaped(to: shape)]
    }
}
