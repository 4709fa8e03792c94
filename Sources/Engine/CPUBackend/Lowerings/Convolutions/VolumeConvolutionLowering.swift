import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution over any number of axes as products of its weights with gathered patches, one tile of an image's
/// output at a time. Weights may be computed at run time, and values are row-major.
struct VolumeConvolutionLowering: Lowering {
    let name = "im2col-gemm"
    let routine: ProductRoutine

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? Conv else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard let x = request.inputs[0], let w = request.inputs[1], let y = request.outputs.first,
            let geometry = try? operation.geometry(x: x.shape, w: w.shape)
        else { return .decline("the window does not fit") }
        if let refusal = routine.refusal(of: x.elementCount, w.elementCount, y.elementCount) {
            return .decline(refusal)
        }
        let shape = VolumeConvolutionStep.Shape(operation, geometry, x, w, routine)
        // Patches are gathered element by element.
        let patches = Double(shape.patchCount) * Double(x.shape[0] * shape.group)
        let cost =
            Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 8_000, threads: request.threadCount)
            + patches / 300 / Double(request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: request.inputs.map { $0 == nil ? nil : .rowMajor },
                outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
                scratchByteCount: shape.scratchCount * MemoryLayout<Float>.stride * request.threadCount
            ) { operands in
                try VolumeConvolutionStep(shape, geometry, operation, operands)
            })
    }
}

/// output[n][m][o] = activation(Σ weights[m][c, k] · input[n][c][o · stride + k · dilation − pad] + bias[m] + addend).
private struct VolumeConvolutionStep: Step {
    /// The parameters that are the same in every run, apart from the window.
    fileprivate struct Shape: BitwiseCopyable, Sendable {
        let images: Int
        let group: Int
        /// The input channels, output channels and patch length of a group.
        let channels: Int
        let rows: Int
        let depth: Int
        let taps: Int
        let inputPixels: Int
        let outputPixels: Int
        let tiling: ProductPartition
        let routine: ProductRoutine

        init(
            _ operation: Conv, _ geometry: SpatialWindow.Geometry, _ x: TensorType, _ w: TensorType,
            _ routine: ProductRoutine
        ) {
            images = x.shape[0]
            group = operation.group
            channels = w.shape[1]
            rows = w.shape[0] / operation.group
            taps = geometry.kernel.reduce(1, *)
            depth = channels * taps
            inputPixels = geometry.input.reduce(1, *)
            outputPixels = geometry.output.reduce(1, *)
            // The tiling's rows are pixels, since pixels are gathered.
            tiling = ProductPartition(rows: outputPixels, columns: 1, depth: depth)
            self.routine = routine
        }

        /// The weights times the patches of `count` pixels.
        func product(_ count: Int) -> StridedProduct {
            StridedProduct(
                rows: rows, columns: outputPixels, depth: depth, leftRowStride: depth, rightStride: count,
                resultStride: outputPixels)
        }

        /// The elements of the patches of one image and group.
        var patchCount: Int { depth * outputPixels }
        /// The number of floats that one thread gathers at a time.
        var gatheredCount: Int { (tiling.rowsPerTile * depth + 15) / 16 * 16 }
        /// The floats of scratch memory of a thread.
        var scratchCount: Int { gatheredCount + routine.scratchCount(product(tiling.rowsPerTile), rows: rows) }
    }

    fileprivate struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let addend: UnsafePointer<Float>?
        let output: UnsafeMutablePointer<Float>
        let scratch: UnsafeMutablePointer<Float>
        /// For each axis: input extent, kernel extent, stride, dilation, padding before, output extent.
        let axes: UnsafePointer<Int>
        let axisCount: Int
        let shape: Shape
        let activation: apus_activation
    }

    private static let numbersPerAxis = 6
    private let input: Operand
    private let weights: Operand
    private let bias: Operand?
    private let addend: Operand?
    private let output: Operand
    private let scratch: Operand
    private let axes: [Int]
    private let shape: Shape
    private let activation: apus_activation

    init(_ shape: Shape, _ geometry: SpatialWindow.Geometry, _ operation: Conv, _ operands: StepOperands) throws {
        input = try operands.input(0)
        weights = try operands.input(1)
        bias = try operands.optionalInput(2)
        addend = try operands.optionalInput(Conv.addendPosition)
        output = operands.outputs[0]
        scratch = operands.scratch
        axes = geometry.input.indices.flatMap { axis in
            [
                geometry.input[axis], geometry.kernel[axis], geometry.strides[axis], geometry.dilations[axis],
                geometry.padsBegin[axis], geometry.output[axis],
            ]
        }
        self.shape = shape
        activation = apus_activation(operation.activation)
    }

    func run(_ context: StepContext) {
        axes.withUnsafeBufferPointer { axes in
            guard let start = axes.baseAddress else { return }
            let arguments = Arguments(
                input: context.floats(input), weights: context.floats(weights), bias: context.floats(bias),
                addend: context.floats(addend), output: context.mutableFloats(output),
                scratch: context.mutableFloats(scratch), axes: start, axisCount: axes.count / Self.numbersPerAxis,
                shape: shape, activation: activation)
            let pieces = shape.images * shape.group * shape.tiling.rowTileCount
            context.workers.run(pieces, arguments) { context, index, worker in
                context.load(as: Arguments.self).runPiece(index, worker)
            }
        }
    }
}

extension VolumeConvolutionStep.Arguments {
    /// Computes some pixels of one image and group.
    fileprivate func runPiece(_ index: Int, _ worker: Int) {
        let (outer, tile) = index.quotientAndRemainder(dividingBy: shape.tiling.rowTileCount)
        let (image, group) = outer.quotientAndRemainder(dividingBy: shape.group)
        let first = tile * shape.tiling.rowsPerTile
        let count = min(shape.tiling.rowsPerTile, shape.outputPixels - first)
        let patches = scratch + worker * shape.scratchCount
        let plane = image * shape.group + group
        gather(input + plane * shape.channels * shape.inputPixels, first, count, into: patches)
        let position = plane * shape.rows * shape.outputPixels + first
        shape.routine.multiply(
            shape.product(count), rows: shape.rows, columns: count, weights + group * shape.rows * shape.depth, patches,
            into: output + position, scratch: patches + shape.gatheredCount)
        for row in 0..<shape.rows {
            let result = output + position + row * shape.outputPixels
            if let bias {
                let number = bias[group * shape.rows + row]
                for pixel in 0..<count { result[pixel] += number }
            }
            apus_add_bias_and_activate(
                result, 1, count, count, nil, addend.map { $0 + position + row * shape.outputPixels }, 0, activation)
        }
    }

    /// Writes the patches of some pixels, one row per channel and tap, with zeros where the window leaves the input.
    private func gather(
        _ planes: UnsafePointer<Float>, _ first: Int, _ count: Int, into patches: UnsafeMutablePointer<Float>
    ) {
        for tap in 0..<shape.taps {
            for pixel in 0..<count {
                var (restOfTap, restOfPixel) = (tap, first + pixel)
                var (offset, stride, isInside) = (0, 1, true)
                var axis = axisCount
                while axis > 0 {
                    axis -= 1
                    let numbers = axes + axis * 6
                    let place =
                        restOfPixel % numbers[5] * numbers[2] + restOfTap % numbers[1] * numbers[3] - numbers[4]
                    if place < 0 || place >= numbers[0] { isInside = false }
                    offset += place * stride
                    stride *= numbers[0]
                    restOfPixel /= numbers[5]
                    restOfTap /= numbers[1]
                }
                for channel in 0..<shape.channels {
                    patches[(channel * shape.taps + tap) * count + pixel] =
                        isInside ? planes[channel * shape.inputPixels + offset] : 0
                }
            }
        }
    }
}
