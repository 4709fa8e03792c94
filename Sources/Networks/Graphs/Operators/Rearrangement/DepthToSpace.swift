import Tensors

/// Channels rearranged into blocks of pixels.
///
/// DCR: y[n, c, h · b + i, w · b + j] = x[n, (i · b + j) · C′ + c, h, w], CRD: = x[n, (c · b + i) · b + j, h, w], where
/// b is `blocksize` and C′ = C / b².
///
/// Shapes: [N, C, H, W] → [N, C / b², H · b, W · b].
/// Attributes: `blocksize` (required), `mode` (DCR).
/// Reference: https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
package struct DepthToSpace: Operator {
    package static let name = "DepthToSpace"
    package static let inputCount = 1...1
    package var blockSize: Int
    /// Whether channels are ordered by channel first and by position in the block second (CRD).
    package var isChannelFirst: Bool

    package init(blockSize: Int, isChannelFirst: Bool = false) {
        self.blockSize = blockSize
        self.isChannelFirst = isChannelFirst
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let size = try attributes.int("blocksize") else { throw .invalid("attribute \"blocksize\" is missing") }
        try SpatialWindow.check("blocksize", [size], least: 1)
        let order: BlockOrder? = try attributes.choice("mode")
        self.init(blockSize: size, isChannelFirst: order == .channelFirst)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = ["blocksize": .int(Int64(blockSize))]
        if isChannelFirst { values["mode"] = .string(BlockOrder.channelFirst.rawValue) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let block = try [blockSize, blockSize].product(of: "blocksize")
        guard x.rank == 4, x.shape[1] % block == 0 else {
            throw .invalid("input \(x.shape) does not have 4 axes and channels in multiples of \(block)")
        }
        let height = try [x.shape[2], blockSize].product(of: "height")
        let width = try [x.shape[3], blockSize].product(of: "width")
        return [TensorType(x.elementType, [x.shape[0], x.shape[1] / block, height, width])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        if outputTypes[0].elementCount == 0 { return [try Tensor(zeros: x.elementType, shape: outputTypes[0].shape)] }
        let (n, h, w, b) = (x.shape[0], x.shape[2], x.shape[3], blockSize)
        let channels = outputTypes[0].shape[1]
        let split = try x.reshaped(to: isChannelFirst ? [n, channels, b, b, h, w] : [n, b, b, channels, h, w])
        let order = isChannelFirst ? [0, 1, 4, 2, 5, 3] : [0, 3, 4, 1, 5, 2]
        return [try split.transposed(order).reshaped(to: outputTypes[0].shape)]
    }
}
