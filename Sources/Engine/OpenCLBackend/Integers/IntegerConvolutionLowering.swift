import Graphs
import Planning

/// A 2-D convolution of 8-bit integers as a product of words of four bytes, with rows gathered by address.
struct IntegerConvolutionLowering: Lowering {
    let name = "integer-gemm"
    let device: DeviceInformation
    let arithmetic: ByteArithmetic

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ByteConvolution
        do { convolution = try ByteConvolution(request) } catch { return error.answer }
        let product = Product(
            rows: convolution.output.elementCount / convolution.output.shape[1], columns: convolution.columns,
            depth: convolution.depth, stack: convolution.group, isDivisible: false)
        let (cost, speed) = (request.cost, OpenCLSpeed(device))
        let packing = convolution.packsWeights ? speed.startMicroseconds : 0
        let layouts = request.inputs.indices.map { index in
            index == 0 ? Layout.channelsLast : convolution.reads(index) ? .rowMajor : nil
        }
        return product.answer(arithmetic.tiles(), at: speed) { division in
            Candidate(
                microseconds: speed.microseconds(division, byteCount: cost.bytes) + packing,
                inputLayouts: layouts, outputLayouts: [.channelsLast],
                readsSlices: !convolution.packsWeights,
                scratchByteCount: convolution.packsWeights ? 4 * convolution.wordCount : 0,
                elementwise: convolution.followedByStages(
                    division.tiles, arithmetic.dot, inputCount: request.inputs.count),
                makeDeviceStep: { [arithmetic] operands in
                    KernelStep(try convolution.calls(division.tiles, arithmetic.dot(), operands))
                })
        }
    }
}
