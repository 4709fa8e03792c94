import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for RTMPose and other networks with SimCC: for each point a row of scores for its column and one for its
/// line, several to each pixel of the input.
///
/// Shapes: `simcc_x` `[1, K, width × ratio]` and `simcc_y` `[1, K, height × ratio]`. The place is that of the largest
/// score, and the confidence the smaller of both.
/// Source: `get_simcc_maximum` of https://github.com/open-mmlab/mmpose
package struct SimCCDecoder: PointDecoder {
    package static let name = PointDecoderName.simcc
    package static let summary = "simcc_x and simcc_y: [1, points, places]"
    package let schema: PointSchema

    private let columns: Int
    private let rows: Int

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    /// The outputs for columns and for lines.
    private static func positions(_ signature: DetectorSignature) -> (x: Int, y: Int)? {
        guard let x = signature.position(where: { $0.isCalled("simcc_x") && $0.shape?.count ?? 3 == 3 }),
            let y = signature.position(where: { $0.isCalled("simcc_y") && $0.shape?.count ?? 3 == 3 }), x != y
        else { return nil }
        return (x, y)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .imageNetFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let found = Self.positions(signature) ?? (signature.outputs.count == 2 ? (0, 1) : nil) else {
            throw signature.refusal(decoder: Self.name.rawValue, "outputs simcc_x and simcc_y [1, points, places]")
        }
        (columns, rows) = (found.x, found.y)
        schema = .ofPeople(signature.outputs[columns].shape?.dropFirst().first ?? nil)
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        guard outputs.indices.contains(columns), outputs.indices.contains(rows) else {
            throw Self.mismatch("no outputs")
        }
        let (x, y) = (outputs[columns], outputs[rows])
        guard x.shape.count == 2, y.shape.count == 2, x.shape[0] == y.shape[0], x.elementCount > 0, y.elementCount > 0
        else { throw Self.mismatch("the outputs are \(x.shape) and \(y.shape), not [points, places]") }
        let (across, down) = (try x.finiteElements(), try y.finiteElements())
        let (width, height) = (x.shape[1], y.shape[1])
        let points = (0..<x.shape[0]).map { point in
            let column = ObjectCandidate.best(across[point * width..<(point + 1) * width])
            let row = ObjectCandidate.best(down[point * height..<(point + 1) * height])
            return PointGroup.Point(
                x: Float(column?.index ?? 0) / Float(width), y: Float(row?.index ?? 0) / Float(height),
                confidence: min(column?.score ?? 0, row?.score ?? 0))
        }
        return [PointGroup(points, confidence: nil)]
    }
}
