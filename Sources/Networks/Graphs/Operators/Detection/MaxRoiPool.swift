import Tensors

/// The largest elements of the cells of a grid over regions of images.
///
/// y[r, c, i, j] = max x[b, c, h, w] over the cell (i, j) of region r of image b; its corners are rounded to whole
/// elements.
///
/// Shapes: x [N, C, H, W], rois [R, 5]: image, x₁, y₁, x₂, y₂ → [R, C, `pooled_shape`].
/// Attributes: `pooled_shape` (required), `spatial_scale` (1).
/// Errors: a region of an image that does not exist.
/// Numerics: an empty cell gives 0.
/// Reference: https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
package struct MaxRoiPool: Operator {
    package static let name = "MaxRoiPool"
    package static let inputCount = 2...2
    package var pooledShape: [Int]
    package var spatialScale: Float

    package init(pooledShape: [Int], spatialScale: Float = 1) {
        self.pooledShape = pooledShape
        self.spatialScale = spatialScale
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        pooledShape = try attributes.ints("pooled_shape") ?? []
        spatialScale = try attributes.float("spatial_scale", default: 1)
        guard pooledShape.count == 2 else {
            throw .invalid("attribute \"pooled_shape\" is \(pooledShape); two numbers are expected")
        }
        try SpatialWindow.check("pooled_shape", pooledShape, least: 1)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = ["pooled_shape": .ints(pooledShape.map(Int64.init))]
        if spatialScale != 1 { values["spatial_scale"] = .float(spatialScale) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, regions) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1))
        guard x.rank == 4, regions.rank == 2, regions.shape[1] == 5 else {
            throw .invalid("input \(x.shape) must be [N, C, H, W], regions \(regions.shape) [R, 5]")
        }
        return [TensorType(x.elementType, [regions.shape[0], x.shape[1]] + pooledShape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let regions = try inputs.required(1).float64Elements
        let pixels = x.float64Elements
        let (channels, height, width) = (x.shape[1], x.shape[2], x.shape[3])
        let y = try Tensor(outputTypes[0]) { y in
            var position = 0
            for region in 0..<regions.count / 5 {
                let corners = regions[region * 5..<region * 5 + 5].map { $0 }
                guard corners.allSatisfy(\.isFinite), corners[0] >= 0, corners[0] < Double(x.shape[0]) else {
                    throw OperatorError.invalid("region \(region) is \(corners), with \(x.shape[0]) images")
                }
                let image = Int(corners[0])
                let bounds = corners[1...].map { (min(max($0 * Double(spatialScale), -1e6), 1e6)).rounded() }
                func cell(_ index: Int, _ count: Int, _ first: Double, _ last: Double, _ extent: Int) -> Range<Int> {
                    let size = max(last - first + 1, 1) / Double(count)
                    let lower = min(max((Double(index) * size).rounded(.down) + first, 0), Double(extent))
                    let upper = min(max((Double(index + 1) * size).rounded(.up) + first, 0), Double(extent))
                    return Int(lower)..<Int(max(lower, upper))
                }
                for channel in 0..<channels {
                    let plane = (image * channels + channel) * height * width
                    for i in 0..<pooledShape[0] {
                        let rows = cell(i, pooledShape[0], bounds[1], bounds[3], height)
                        for j in 0..<pooledShape[1] {
                            let columns = cell(j, pooledShape[1], bounds[0], bounds[2], width)
                            var best = rows.isEmpty || columns.isEmpty ? 0 : -Double.infinity
                            for row in rows {
                                for column in columns { best = max(best, pixels[plane + row * width + column]) }
                            }
                            y[position] = best
                            position += 1
                        }
                    }
                }
            }
        }
        return [y]
    }
}
