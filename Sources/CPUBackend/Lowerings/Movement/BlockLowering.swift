import CPUKernels
import Graphs
import Planning
import Tensors

/// DepthToSpace and SpaceToDepth, as one strided copy: a block's two axes are axes of both values.
struct BlockLowering: Lowering {
    let name = "block-copy"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let block: Int
        let isChannelFirst: Bool
        let isToSpace = request.operation is DepthToSpace
        switch request.operation {
        case let operation as DepthToSpace: (block, isChannelFirst) = (operation.blockSize, operation.isChannelFirst)
        case let operation as SpaceToDepth: (block, isChannelFirst) = (operation.blockSize, operation.isChannelFirst)
        default: return .decline("not DepthToSpace or SpaceToDepth")
        }
        guard let input = request.inputs.first ?? nil, input.elementCount > 0 else {
            return .decline("a value is empty")
        }
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: 1 + Double(input.byteCount) / 2_000, inputLayouts: [layout], outputLayouts: [layout]
            ) { operands in
                let (from, to) = (try operands.input(0), operands.outputs[0])
                let pass = try ElementwisePass(
                    isToSpace
                        ? Self.splitChannels(of: from, block, isChannelFirst) : Self.splitPixels(of: from, block),
                    nil,
                    isToSpace ? Self.splitPixels(of: to, block) : Self.splitChannels(of: to, block, isChannelFirst))
                return CopyStep(pass: pass)
            })
    }

    /// `[N, C, H, W]` with channels in blocks as `[N, C / b², H, b, W, b]`.
    private static func splitChannels(of image: Operand, _ block: Int, _ isChannelFirst: Bool) -> Operand {
        var view = image
        let channels = image.shape[1] / (block * block)
        let stride = image.strides[1]
        let (channel, row) =
            isChannelFirst ? (stride * block * block, stride * block) : (stride, stride * block * channels)
        let column = isChannelFirst ? stride : stride * channels
        view.shape = [image.shape[0], channels, image.shape[2], block, image.shape[3], block]
        view.strides = [image.strides[0], channel, image.strides[2], row, image.strides[3], column]
        return view
    }

    /// `[N, C, H, W]` with pixels in blocks as `[N, C, H / b, b, W / b, b]`.
    private static func splitPixels(of image: Operand, _ block: Int) -> Operand {
        var view = image
        view.shape = [image.shape[0], image.shape[1], image.shape[2] / block, block, image.shape[3] / block, block]
        view.strides = [
            image.strides[0], image.strides[1], image.strides[2] * block, image.strides[2], image.strides[3] * block,
            image.strides[3],
        ]
        return view
    }
}
