import CPUKernels
import Graphs
import Planning
import Tensors

/// RoiAlign by means, a region at a time. Its steps allocate the places of the samples, which depend on the regions.
struct RoiAlignLowering: Lowering {
    let name = "roi-align"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let align = request.operation as? RoiAlign else { return .otherOperator }
        guard align.mode == .avg else { return .decline("the mode is not avg") }
        guard let input = request.inputs.first ?? nil, input.elementType == .float32, input.elementCount > 0,
            request.outputs[0].elementCount > 0, request.inputs[1]?.elementType == .float32
        else { return .decline("not float32, or empty") }
        let samples = max(align.samplingRatio, 2)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    OperatorCost(
                        multiplyAdds: [request.outputs[0].elementCount, 4 * samples * samples].saturatingProduct,
                        bytes: request.cost.bytes),
                    multiplyAddsPerMicrosecond: 2_000, threads: request.threadCount),
                inputLayouts: [.channelsLast, .rowMajor, .rowMajor], outputLayouts: [.channelsLast],
                readsSlices: false, writesSlices: false
            ) { operands in
                RoiAlignStep(
                    input: try operands.input(0), regions: try operands.input(1), images: try operands.input(2),
                    output: operands.outputs[0], operation: align)
            })
    }
}

private struct RoiAlignStep: Step {
    /// A region's samples among those of all.
    private struct Region: BitwiseCopyable {
        let image, rows, rowsPerCell, columns, columnsPerCell: Int
    }

    private struct Arguments: BitwiseCopyable {
        let pixels: UnsafePointer<Float>
        let view: ImageView
        let samples: UnsafePointer<apus_roi_sample>
        let regions: UnsafePointer<Region>
        let output: UnsafeMutablePointer<Float>
        let height, width: Int
    }

    let input, regions, images, output: Operand
    let operation: RoiAlign

    func run(_ context: StepContext) throws {
        let view = ImageView(input)
        let corners = context.floats(regions)
        var samples: [apus_roi_sample] = []
        var found: [Region] = []
        var work = 0.0
        for (index, image) in try imageNumbers(context, count: view.count).enumerated() {
            func along(_ first: Int, _ cells: Int, _ extent: Int) throws -> [[RoiAlign.Sample]] {
                try operation.samples(
                    Double(corners[index * 4 + first]), Double(corners[index * 4 + first + 2]), cells, extent)
            }
            let rows = try along(1, operation.outputHeight, view.height)
            let columns = try along(0, operation.outputWidth, view.width)
            work += RoiAlign.work(rows, columns, channels: view.channels)
            try RoiAlign.check(work)
            let firstRow = samples.count
            samples += rows.joined().map { apus_roi_sample($0) }
            found.append(
                Region(
                    image: image, rows: firstRow, rowsPerCell: rows.first?.count ?? 0, columns: samples.count,
                    columnsPerCell: columns.first?.count ?? 0))
            samples += columns.joined().map { apus_roi_sample($0) }
        }
        // Regions without samples are zeros, and read no element of the list.
        if samples.isEmpty { samples.append(apus_roi_sample()) }
        samples.withUnsafeBufferPointer { samples in
            found.withUnsafeBufferPointer { regions in
                guard let samples = samples.baseAddress, let first = regions.baseAddress else { return }
                let arguments = Arguments(
                    pixels: context.floats(input), view: view, samples: samples, regions: first,
                    output: context.mutableFloats(output), height: operation.outputHeight,
                    width: operation.outputWidth)
                context.workers.run(regions.count, arguments) { context, index, _ in
                    let it = context.load(as: Arguments.self)
                    let region = it.regions[index]
                    var rows = apus_roi_axis(
                        samples: it.samples + region.rows, cell_count: it.height, per_cell: region.rowsPerCell)
                    var columns = apus_roi_axis(
                        samples: it.samples + region.columns, cell_count: it.width, per_cell: region.columnsPerCell)
                    apus_roi_align(
                        it.pixels + region.image * it.view.imageStride, it.view.rowStride, it.view.pixelStride,
                        it.view.channels, &rows, &columns, it.output + index * it.height * it.width * it.view.channels)
                }
            }
        }
    }

    /// The image of each region.
    private func imageNumbers(_ context: StepContext, count: Int) throws -> [Int] {
        let address = context.memory.address(images)
        return try (0..<images.elementCount).map { index in
            let image =
                images.elementType == .int64
                ? address.load(fromByteOffset: index * 8, as: Int64.self)
                : Int64(address.load(fromByteOffset: index * 4, as: Int32.self))
            guard image >= -Int64(count), image < Int64(count) else {
                throw OperatorError.invalid("image \(image) lies outside an axis with \(count) elements")
            }
            return Int(image) + (image < 0 ? count : 0)
        }
    }
}

extension apus_roi_sample {
    fileprivate init(_ sample: RoiAlign.Sample) {
        self.init(
            first: sample.first, second: sample.second, fraction: Float(sample.fraction),
            is_outside: sample.isOutside ? 1 : 0)
    }
}
