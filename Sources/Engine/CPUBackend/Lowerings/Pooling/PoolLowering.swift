import CPUKernels
import Graphs
import Planning

/// Max pooling of images and of sequences, row by row.
struct MaxPoolLowering: Lowering {
    let name = "max-pool-rows"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let pool = request.operation as? MaxPool else { return .otherOperator }
        if let refusal = request.refusalOfPool { return .decline(refusal) }
        guard request.outputs.count == 1 else { return .decline("indices are wanted") }
        guard let input = request.inputs[0], let geometry = try? pool.geometry(x: input.shape) else {
            return .decline("the window does not fit")
        }
        return .accept(PoolStep.candidate(request, geometry, .max))
    }
}

/// Average pooling of images and of sequences, row by row.
struct AveragePoolLowering: Lowering {
    let name = "average-pool-rows"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let pool = request.operation as? AveragePool else { return .otherOperator }
        if let refusal = request.refusalOfPool { return .decline(refusal) }
        guard let input = request.inputs[0], let geometry = try? pool.geometry(x: input.shape) else {
            return .decline("the window does not fit")
        }
        return .accept(PoolStep.candidate(request, geometry, .average(countingPadding: pool.countIncludePad)))
    }
}

extension LoweringRequest {
    /// Why the kernels of pools cannot take the request; nil when they can.
    fileprivate var refusalOfPool: String? { inputs.first??.rank == 3 ? refusalOfElements : refusalOfImages }
}

extension SpatialWindow.Geometry {
    /// The window over images; a sequence is an image of one row.
    fileprivate var ofImages: SpatialWindow.Geometry {
        guard output.count == 1 else { return self }
        var images = self
        for key in [\Self.input, \.kernel, \.strides, \.dilations, \.output] { images[keyPath: key].insert(1, at: 0) }
        for key in [\Self.padsBegin, \.padsEnd] { images[keyPath: key].insert(0, at: 0) }
        return images
    }
}

extension Operand {
    /// The operand `[N, C, H, W]`; a sequence `[N, C, L]` is an image of one row.
    fileprivate var asImages: Operand {
        guard shape.count == 3 else { return self }
        var images = self
        images.shape.insert(1, at: 2)
        images.strides.insert(shape[2] * strides[2], at: 2)
        return images
    }
}

/// A 2-D pool; every output row is a piece of work.
struct PoolStep: Step {
    /// The function that is computed of a window.
    enum Kind: BitwiseCopyable, Sendable {
        case max
        case average(countingPadding: Bool)
    }

    private struct Arguments: BitwiseCopyable {
        let input: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        let shape: Shape
    }

    fileprivate struct Shape: BitwiseCopyable {
        let kind: Kind
        let from: ImageView
        let to: ImageView
        var window: apus_window
        let rows: RowWindow
        let padding: (bottom: Int, right: Int)
        let isBFloat16: Int32
        let elementByteCount: Int
    }

    private let input: Operand
    private let output: Operand
    fileprivate let shape: Shape

    static func candidate(_ request: LoweringRequest, _ geometry: SpatialWindow.Geometry, _ kind: Kind) -> Candidate {
        // Each tap reads and adds one element.
        let taps = (geometry.kernel + request.outputs[0].shape).saturatingProduct
        let cost = OperatorCost(multiplyAdds: taps, bytes: request.cost.bytes)
        let makeStep = { @Sendable (operands: StepOperands) in
            PoolStep(
                geometry.ofImages, kind, input: try operands.input(0).asImages,
                output: operands.outputs[0].asImages)
        }
        // An average that counts padding depends on rows outside the strip.
        let isMaximum = if case .max = kind { true } else { false }
        let rowStage: RowStage? =
            isMaximum && geometry.output.count == 2 ? RowStage(RowWindow(geometry), makeStep: makeStep) : nil
        return Candidate(
            microseconds: Speed.microseconds(cost, multiplyAddsPerMicrosecond: 4_000, threads: request.threadCount),
            inputLayouts: [.channelsLast], outputLayouts: [.channelsLast], bfloat16Operands: .alike([0]),
            rowStage: rowStage, makeStep: makeStep)
    }

    private init(_ geometry: SpatialWindow.Geometry, _ kind: Kind, input: Operand, output: Operand) {
        self.input = input
        self.output = output
        let from = ImageView(input)
        shape = Shape(
            kind: kind, from: from, to: ImageView(output), window: apus_window(geometry, over: from),
            rows: RowWindow(geometry),
            padding: (geometry.padsEnd[0], geometry.padsEnd[1]), isBFloat16: input.bfloat16Flag,
            elementByteCount: input.elementType.byteCount)
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.memory.address(input), output: context.memory.mutableAddress(output), shape: shape)
        context.workers.run(shape.to.count * shape.to.height, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let shape = it.shape
            let (image, row) = index.quotientAndRemainder(dividingBy: shape.to.height)
            shape.pool(
                it.input + image * shape.from.imageStride * shape.elementByteCount, shape.window, row: row,
                into: it.output + (image * shape.to.imageStride + row * shape.to.rowStride) * shape.elementByteCount)
        }
    }
}

extension PoolStep.Shape {
    /// Computes one row of the output.
    fileprivate func pool(
        _ image: UnsafeRawPointer, _ window: apus_window, row: Int, into output: UnsafeMutableRawPointer
    ) {
        var window = window
        switch kind {
        case .max:
            apus_max_pool_row(image, &window, to.channels, row, output, to.pixelStride, isBFloat16)
        case .average(let countingPadding):
            apus_average_pool_row(
                image, &window, to.channels, countingPadding ? 1 : 0, padding.bottom, padding.right, row, output,
                to.pixelStride, isBFloat16)
        }
    }
}

extension PoolStep: RowStep {
    func run(_ strip: Strip, _ context: StepContext) {
        let window = shape.window.over(strip, shape.rows)
        for row in strip.rows.indices {
            shape.pool(
                strip.input, window, row: row - strip.rows.lowerBound,
                into: strip.output + (row - strip.rows.lowerBound) * shape.to.rowStride * shape.elementByteCount)
        }
    }
}
