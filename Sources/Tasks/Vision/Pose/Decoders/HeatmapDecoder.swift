import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for heat maps of points, as HRNet, SimpleBaseline and ViTPose give them for the crop of one person.
///
/// Shape: `[1, K, height, width]`. The place of a point is that of the largest number of its map, moved by a quarter of
/// a cell towards the larger neighbor in each direction; cells at the edges are not moved. Cell `x` lies at
/// `x ÷ width` of the crop.
/// Source: `get_final_preds` of https://github.com/leoxiaobin/deep-high-resolution-net.pytorch
package struct HeatmapDecoder: PointDecoder {
    package static let name = PointDecoderName.heatmaps
    package static let summary = "[1, points, height, width]: a heat map for each point"
    package let schema: PointSchema

    private let isChannelsLast: Bool

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape, shape.count == 4 else {
            return false
        }
        return shape.dropFirst().allSatisfy { $0.map { $0 > 1 } ?? true }
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        recognizes(signature) && signature.outputs[0].isCalled("heatmap")
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .imageNetFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let shape = signature.outputs.first?.shape, shape.count == 4 else {
            throw signature.refusal(decoder: Self.name.rawValue, "an output [1, points, height, width]")
        }
        isChannelsLast = signature.isChannelsLast
        schema = .ofPeople(isChannelsLast ? shape[3] : shape[1])
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        guard let output = outputs.first, output.shape.count == 3, output.elementCount > 0 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [points, height, width]")
        }
        let maps = Maps(
            try output.finiteElements(), shape: output.shape, isChannelsLast ? .channelsLast : .channelsFirst)
        return [PointGroup((0..<maps.channels).map { Self.point(of: $0, in: maps) }, confidence: nil)]
    }

    private static func point(of channel: Int, in maps: Maps) -> PointGroup.Point {
        func value(_ row: Int, _ column: Int) -> Float {
            maps.numbers[channel * maps.strides.channel + row * maps.strides.row + column * maps.strides.column]
        }
        var best = (row: 0, column: 0, value: -Float.infinity)
        for row in 0..<maps.height {
            for column in 0..<maps.width where value(row, column) > best.value {
                best = (row, column, value(row, column))
            }
        }
        // A map without a number above 0 has no point; its place is the corner, as in the source.
        guard best.value > 0 else {
            return PointGroup.Point(x: 0, y: 0, confidence: best.value.isFinite ? best.value : 0)
        }
        var (x, y) = (Float(best.column), Float(best.row))
        if (2..<max(2, maps.width - 1)).contains(best.column), (2..<max(2, maps.height - 1)).contains(best.row) {
            x += quarter(value(best.row, best.column + 1) - value(best.row, best.column - 1))
            y += quarter(value(best.row + 1, best.column) - value(best.row - 1, best.column))
        }
        return PointGroup.Point(x: x / Float(maps.width), y: y / Float(maps.height), confidence: best.value)
    }

    private static func quarter(_ difference: Float) -> Float { difference > 0 ? 0.25 : difference < 0 ? -0.25 : 0 }
}
