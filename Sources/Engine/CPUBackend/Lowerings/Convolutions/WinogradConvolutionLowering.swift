import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution by minimal filtering: fewer products, at the cost of transforms and some accuracy.
struct WinogradConvolutionLowering: Lowering {
    let kernel: WinogradKernel

    var name: String { kernel.kind.rawValue }

    /// The geometry of a convolution that one kind of kernel supports. Its axes are exchanged where the filter is a
    /// column.
    struct Geometry {
        let convolution: ConvolutionRequest
        let isTransposed: Bool

        init(_ convolution: ConvolutionRequest, _ kernel: WinogradKernel) throws(LoweringRefusal) {
            let geometry = convolution.geometry
            let wanted = [kernel.shape.kernel_height, kernel.shape.kernel_width]
            guard convolution.operation.group == 1 else {
                throw LoweringRefusal("\(convolution.operation.group) groups")
            }
            let strides = [kernel.shape.stride_height, kernel.shape.stride_width]
            guard geometry.strides == strides else { throw LoweringRefusal("strides are not \(strides[0])") }
            guard strides == [1, 1] || geometry.dilations == [1, 1] else {
                throw LoweringRefusal("strides and dilations are not 1")
            }
            isTransposed = geometry.kernel != wanted
            guard geometry.kernel == (isTransposed ? wanted.reversed() : wanted) else {
                throw LoweringRefusal("the kernel is not \(wanted[0])×\(wanted[1])")
            }
            self.convolution = convolution
        }

        /// The distances of taps along rows and columns of tiles.
        var rowDilation: Int { convolution.geometry.dilations[isTransposed ? 1 : 0] }
        var columnDilation: Int { convolution.geometry.dilations[isTransposed ? 0 : 1] }
        var inputChannels: Int { convolution.input.shape[1] }
        var outputChannels: Int { convolution.output.shape[1] }
        var images: Int { convolution.output.shape[0] }

        /// The parts of the convolution that are not dilated. The first has the most outputs; its tiles decide whether
        /// weights are transformed in advance.
        func phases(_ kernel: WinogradKernel, threads: Int) -> [WinogradPhase] {
            let rows = WinogradPhase.Axis.all(convolution.geometry, axis: isTransposed ? 1 : 0)
            let columns = WinogradPhase.Axis.all(convolution.geometry, axis: isTransposed ? 0 : 1)
            var phases: [WinogradPhase] = []
            for row in rows {
                for column in columns {
                    let tiling = WinogradPartition(
                        kernel, images: images, height: row.outputCount, width: column.outputCount,
                        inputChannels: inputChannels, outputChannels: outputChannels, threads: threads,
                        transformsWeights: phases.first?.tiling.transformsWeights)
                    phases.append(WinogradPhase(row: row, column: column, tiling: tiling))
                }
            }
            return phases
        }
    }

    /// The maximum number of phases of a dilated convolution. More have too few outputs each.
    private static let maximumPhases = 64

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        let geometry: Geometry
        do {
            convolution = try request.convolution()
            geometry = try Geometry(convolution, kernel)
        } catch { return error.answer }
        let (phaseCount, overflow) = geometry.rowDilation.multipliedReportingOverflow(by: geometry.columnDilation)
        guard !overflow, phaseCount <= Self.maximumPhases else {
            return .decline("dilations are \(geometry.rowDilation) and \(geometry.columnDilation)")
        }
        let phases = geometry.phases(kernel, threads: request.threadCount)
        guard let transformsWeights = phases.first?.tiling.transformsWeights else {
            return .decline("the output is empty")
        }
        let scratch = WinogradScratch(kernel, phases.map(\.tiling), inputChannels: geometry.inputChannels)
        return .accept(
            Candidate(
                microseconds: phases.reduce(0) { sum, phase in
                    sum + microseconds(geometry, phase.tiling, threads: request.threadCount)
                },
                inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                sharing: .overwriting(input: Conv.addendPosition),
                scratchByteCount: scratch.elementCount(threads: request.threadCount) * MemoryLayout<Float>.stride,
                bfloat16Operands: kernel.functionsOfBFloat16 == nil
                    ? nil : .init(read: [0, Conv.addendPosition], isWritten: true, alike: [Conv.addendPosition])
            ) { operands in
                let weights = try kernel.pack(
                    convolution.weights, transformsWeights: transformsWeights, in: operands.packedWeights)
                return try WinogradConvolutionStep(
                    geometry, phases, scratch, kernel, weights: weights,
                    bias: kernel.pack(bias: convolution.bias, outputChannels: geometry.outputChannels), operands)
            })
    }

    /// The multiply-adds that take as long as moving one element of a transformed filter, and one of a filter.
    private static let (transformedFilterCost, filterCost) = (9.0, 16.0)

    private func microseconds(_ geometry: Geometry, _ tiling: WinogradPartition, threads: Int) -> Double {
        let inputs = Double((geometry.inputChannels + 3) / 4 * 4)
        let outputs = Double(tiling.panelCount * kernel.panelColumns)
        let factors = Double(kernel.shape.factor_count)
        let taps = Double(kernel.shape.kernel_height * kernel.shape.kernel_width)
        let filters =
            tiling.transformsWeights
            ? inputs * outputs * (Self.transformedFilterCost * factors + Self.filterCost * taps) : 0
        let tiles = kernel.multiplyAdds(
            tiles: tiling.tilesPerImage, inputChannels: geometry.inputChannels,
            outputChannels: geometry.outputChannels)
        let work = tiles + filters
        let count = kernel.packedCount(
            inputChannels: geometry.inputChannels, outputChannels: geometry.outputChannels,
            transformsWeights: tiling.transformsWeights)
        return Speed.microseconds(
            perImage: work / kernel.instructionSet.multiplyAddsPerMicrosecond / Double(threads),
            weightByteCount: count * MemoryLayout<Float>.stride, images: geometry.images)
    }
}

/// The division of scratch memory, in elements: the transformed inputs that threads share, then each thread's own
/// memory.
struct WinogradScratch: BitwiseCopyable {
    let sharedCount: Int
    /// The elements of a thread's transformed inputs, when they are not shared.
    let transformedCount: Int
    let threadCount: Int

    /// Memory that is enough for each of several tilings.
    init(_ kernel: WinogradKernel, _ tilings: [WinogradPartition], inputChannels: Int) {
        func maximum(_ count: (WinogradPartition) -> Int) -> Int { tilings.map(count).max() ?? 0 }
        sharedCount = maximum { tiling in
            tiling.isFused
                ? 0 : kernel.transformedCount(tiles: tiling.maximumTilesPerRun, inputChannels: inputChannels)
        }
        transformedCount = maximum { tiling in
            tiling.isFused
                ? kernel.transformedCount(tiles: tiling.maximumTilesPerBlock, inputChannels: inputChannels) : 0
        }
        threadCount =
            transformedCount
            + maximum { tiling in
                kernel.scratchCount(
                    tiles: tiling.maximumTilesPerBlock, transformsWeights: tiling.transformsWeights)
            }
    }

    func elementCount(threads: Int) -> Int { sharedCount + threads * threadCount }
}
