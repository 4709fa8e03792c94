import Tensors

/// Regions of images sampled on a grid, without rounding their corners.
///
/// y[r, c, i, j] = the mean (avg) or the largest (max) of samples spread evenly over the cell (i, j) of region r, each
/// interpolated between its four neighbours in image batch_indices[r]; a sample more than one element outside is 0.
///
/// Shapes: x [N, C, H, W], rois [R, 4]: x₁, y₁, x₂, y₂, batch_indices [R] → [R, C, output_height, output_width].
/// Attributes: `output_height` (1), `output_width` (1), `sampling_ratio` (0: ⌈region / output⌉ samples along an axis of
/// a cell), `spatial_scale` (1), `mode` (avg), `coordinate_transformation_mode` (half_pixel; output_half_pixel, in
/// which coordinates are not moved by half an element and a region has an extent of 1 at least).
/// Errors: a region of an image that is not there; more than 1,024 samples along an axis of a cell.
/// Numerics: float64; max takes the largest of the weighted neighbours of all samples, as ONNX's reference does.
/// Reference: https://onnx.ai/onnx/operators/onnx__RoiAlign.html
package struct RoiAlign: Operator {
    package enum Mode: String, Sendable, CaseIterable { case avg, max }
    package enum Coordinates: String, Sendable, CaseIterable {
        case halfPixel = "half_pixel"
        case outputHalfPixel = "output_half_pixel"
    }

    package static let name = "RoiAlign"
    package static let inputCount = 3...3
    package var mode: Mode
    package var coordinates: Coordinates
    package var outputHeight: Int
    package var outputWidth: Int
    package var samplingRatio: Int
    package var spatialScale: Float

    package init(
        mode: Mode = .avg, coordinates: Coordinates = .halfPixel, outputHeight: Int = 1, outputWidth: Int = 1,
        samplingRatio: Int = 0, spatialScale: Float = 1
    ) {
        self.mode = mode
        self.coordinates = coordinates
        self.outputHeight = outputHeight
        self.outputWidth = outputWidth
        self.samplingRatio = samplingRatio
        self.spatialScale = spatialScale
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        mode = try attributes.choice("mode") ?? .avg
        coordinates = try attributes.choice("coordinate_transformation_mode") ?? .halfPixel
        outputHeight = try attributes.int("output_height", default: 1)
        outputWidth = try attributes.int("output_width", default: 1)
        samplingRatio = try attributes.int("sampling_ratio", default: 0)
        spatialScale = try attributes.float("spatial_scale", default: 1)
        try SpatialWindow.check("output_height", [outputHeight], least: 1)
        try SpatialWindow.check("output_width", [outputWidth], least: 1)
        guard (0...1024).contains(samplingRatio) else {
            throw .invalid("attribute \"sampling_ratio\" is \(samplingRatio); 0 to 1024 is expected")
        }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if mode != .avg { values["mode"] = .string(mode.rawValue) }
        if coordinates != .halfPixel { values["coordinate_transformation_mode"] = .string(coordinates.rawValue) }
        if outputHeight != 1 { values["output_height"] = .int(Int64(outputHeight)) }
        if outputWidth != 1 { values["output_width"] = .int(Int64(outputWidth)) }
        if samplingRatio != 0 { values["sampling_ratio"] = .int(Int64(samplingRatio)) }
        if spatialScale != 1 { values["spatial_scale"] = .float(spatialScale) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, regions, images) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1), try inputs.indices(2))
        guard x.rank == 4, regions.rank == 2, regions.shape[1] == 4, images.shape == [regions.shape[0]] else {
            throw .invalid("input \(x.shape), regions \(regions.shape) and images \(images.shape) do not fit")
        }
        return [TensorType(x.elementType, [regions.shape[0], x.shape[1], outputHeight, outputWidth])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let (corners, pixels) = (try inputs.required(1).float64Elements, x.float64Elements)
        let images = try inputs.required(2).positions(extent: x.shape[0], "image")
        let (channels, area) = (x.shape[1], x.shape[2] * x.shape[3])
        let y = try Tensor(outputTypes[0]) { y in
            var position = 0
            var work = 0.0
            for (region, image) in images.enumerated() {
                let rows = try samples(corners[region * 4 + 1], corners[region * 4 + 3], outputHeight, x.shape[2])
                let columns = try samples(corners[region * 4], corners[region * 4 + 2], outputWidth, x.shape[3])
                work += Self.work(rows, columns, channels: channels)
                try Self.check(work)
                for channel in 0..<channels {
                    let plane = (image * channels + channel) * area
                    for row in rows {
                        for column in columns {
                            y[position] = pooled(pixels, plane, width: x.shape[3], row, column)
                            position += 1
                        }
                    }
                }
            }
        }
        return [y]
    }

    /// The number of samples that a region takes.
    package static func work(_ rows: [[Sample]], _ columns: [[Sample]], channels: Int) -> Double {
        let counts = [rows, columns].map { $0.reduce(0) { $0 + $1.count } }
        return Double(counts[0]) * Double(counts[1]) * Double(channels)
    }

    /// Refuses regions that take too many samples together.
    package static func check(_ work: Double) throws(OperatorError) {
        guard work <= 0x1p29 else { throw .invalid("the regions take too many samples") }
    }

    /// Two neighbours along an axis with the weight of the second.
    package struct Sample {
        package var first: Int
        package var second: Int
        package var fraction: Double
        /// Whether the sample lies more than one element outside the axis.
        package var isOutside: Bool
    }

    /// The samples of each of `count` cells of a region along an axis with `extent` elements.
    package func samples(_ start: Double, _ end: Double, _ count: Int, _ extent: Int) throws -> [[Sample]] {
        let offset = coordinates == .halfPixel ? 0.5 : 0
        let first = start * Double(spatialScale) - offset
        var length = end * Double(spatialScale) - offset - first
        if coordinates == .outputHalfPixel { length = Swift.max(length, 1) }
        let cell = length / Double(count)
        let perCell = samplingRatio > 0 ? Double(samplingRatio) : cell.rounded(.up)
        guard first.isFinite, perCell <= 1024, perCell * Double(count) <= 0x1p22 else {
            throw OperatorError.invalid("a region from \(start) to \(end) takes too many samples")
        }
        let number = Int(Swift.max(perCell, 0))
        return (0..<count).map { index in
            (0..<number).map { step in
                let position = first + Double(index) * cell + (Double(step) + 0.5) * cell / Double(number)
                guard extent > 0, position >= -1, position <= Double(extent) else {
                    return Sample(first: 0, second: 0, fraction: 0, isOutside: true)
                }
                let center = Swift.min(Swift.max(position, 0), Double(extent - 1))
                let lower = Int(center)
                return Sample(
                    first: lower, second: Swift.min(lower + 1, extent - 1), fraction: center - Double(lower),
                    isOutside: false)
            }
        }
    }

    private func pooled(
        _ pixels: [Double], _ plane: Int, width: Int, _ rows: [Sample], _ columns: [Sample]
    ) -> Double {
        var (sum, peak) = (0.0, -Double.infinity)
        for row in rows {
            for column in columns {
                guard !row.isOutside, !column.isOutside else {
                    peak = Swift.max(peak, 0)
                    continue
                }
                let (top, bottom) = (plane + row.first * width, plane + row.second * width)
                let (v, u) = (row.fraction, column.fraction)
                let parts = (
                    pixels[top + column.first] * (1 - v) * (1 - u), pixels[top + column.second] * (1 - v) * u,
                    pixels[bottom + column.first] * v * (1 - u), pixels[bottom + column.second] * v * u
                )
                sum += parts.0 + parts.1 + parts.2 + parts.3
                peak = Swift.max(peak, parts.0, parts.1, Swift.max(parts.2, parts.3))
            }
        }
        guard mode == .avg else { return peak == -.infinity ? 0 : peak }
        return sum / Double(Swift.max(rows.count * columns.count, 1))
    }
}
