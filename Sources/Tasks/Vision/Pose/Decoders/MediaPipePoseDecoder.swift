import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for MediaPipe's points of a person.
///
/// One output has 39 points, of which the first 33 are points of the body. A point has five numbers: x, y and z in
/// pixels of the input, the logit that it is visible, and the logit that it is present. Another output is the
/// probability that there is a person. If there are heat maps `[64, 64, 39]`, each point moves to the weighted mean of
/// the cells around it.
///
/// Shapes of `pose_landmark_full.tflite`: `[1, 195]`, `[1, 1]`, `[1, 64, 64, 39]`; others are not read.
/// Source: `tensors_to_pose_landmarks_and_segmentation.pbtxt` and `refine_landmarks_from_heatmap_calculator.cc` of
/// https://github.com/google-ai-edge/mediapipe
package struct MediaPipePoseDecoder: PointDecoder {
    package static let name = PointDecoderName.mediapipePose
    package static let summary = "[1, 195], [1, 1] and heat maps: 33 points of a person"
    package static let customaryConfidence: Float = 0.5
    package let schema = PointSchema.mediapipePose

    private static let pointCount = 39
    private static let extent = 5
    private let points: Int
    private let presence: Int
    private let maps: Int?

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool {
        recognizes(signature) && maps(signature) != nil
    }

    /// The position of the heat maps; nil where there are none.
    private static func maps(_ signature: DetectorSignature) -> Int? {
        signature.position { $0.shape?.count == 4 && $0.ends(with: pointCount) }
    }

    private static func positions(_ signature: DetectorSignature) -> (points: Int, presence: Int)? {
        guard let points = signature.position(ofCount: pointCount * extent),
            let presence = signature.position(ofCount: 1)
        else { return nil }
        return (points, presence)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .fractionsFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let found = Self.positions(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "outputs of 195 numbers and of one")
        }
        (points, presence) = found
        maps = Self.maps(signature)
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let numbers = try Self.numbers(outputs, points, Self.pointCount * Self.extent)
        let presence = try Self.confidence(outputs, presence)
        guard presence >= confidence else { return [] }
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found = schema.names.indices.map { point in
            let values = Array(numbers[point * Self.extent..<(point + 1) * Self.extent])
            return PointGroup.Point(
                x: values[0] / width, y: values[1] / height, z: values[2] / width,
                confidence: Self.sigmoid(values[3]))
        }
        if let maps, outputs.indices.contains(maps), outputs[maps].shape.count == 3, outputs[maps].elementCount > 0 {
            let map = Maps(try outputs[maps].finiteElements(), shape: outputs[maps].shape, .channelsLast)
            for index in found.indices where index < map.channels { Self.refine(&found[index], index, map) }
        }
        return [PointGroup(found, confidence: presence)]
    }

    /// The number of cells on each side of a point's cell that take part in its mean. MediaPipe 0.10.21 takes nine
    /// cells, the default of `RefineLandmarksFromHeatmapCalculatorOptions`, although its graph names seven.
    private static let reach = 4
    /// A point moves only if one of these cells has at least this share.
    private static let minimumShare: Float = 0.5

    /// Moves a point to the mean of the cells around it, weighted by the sigmoid of their numbers.
    private static func refine(_ point: inout PointGroup.Point, _ channel: Int, _ maps: Maps) {
        let (column, row) = (point.x * Float(maps.width), point.y * Float(maps.height))
        guard column >= 0, row >= 0, column < Float(maps.width), row < Float(maps.height) else { return }
        let rows = (Int(row) - reach..<Int(row) + reach + 1).clamped(to: 0..<maps.height)
        let columns = (Int(column) - reach..<Int(column) + reach + 1).clamped(to: 0..<maps.width)
        var (sum, largest, across, down) = (Float(0), Float(0), Float(0), Float(0))
        for row in rows {
            for column in columns {
                let place = channel * maps.strides.channel + row * maps.strides.row + column * maps.strides.column
                let share = sigmoid(maps.numbers[place])
                sum += share
                largest = max(largest, share)
                across += Float(column) * share
                down += Float(row) * share
            }
        }
        guard largest >= minimumShare, sum > 0 else { return }
        point.x = across / Float(maps.width) / sum
        point.y = down / Float(maps.height) / sum
    }

    static func sigmoid(_ number: Float) -> Float { Float(1 / (1 + exp(-Double(number)))) }
}
