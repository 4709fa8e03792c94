import Tensors

/// Blocks of pixels rearranged into channels.
///
/// DCR: y[n, (i · b + j) · C + c, h, w] = x[n, c, h · b + i, w · b + j]; CRD: y[n, (c · b + i) · b + j, h, w] is the
/// same; b is `blocksize`.
///
/// Shapes: [N, C, H, W] → [N, C · b², H / b, W / b].
/// Attributes: `blocksize` (required), `mode` (DCR).
/// Reference: https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html
package struct SpaceToDepth: Operator {
    package static let name = "SpaceToDepth"
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
        let order = isChannelFirst ? [0, 1, 3, 5, 2, 4] : [0, 3, 5, 1, 2, 4]
        return [try split.transposed(order).reshaped(to: shape)]
    }
}

/// The order of channels that blocks of pixels form: by the position in the block first, or by the channel first.
enum BlockOrder: String, CaseIterable {
    case positionFirst = "DCR"
    case channelFirst = "CRD"
}
