import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for coordinates as they are: `[1, 2K]`, `[1, K, 2]`, or `[1, K, 3]` with a depth, in pixels or in
/// fractions of the input, as `point_units` says.
package struct RegressionDecoder: PointDecoder {
    package static let name = PointDecoderName.points
    package static let summary = "[1, 2 × points], [1, points, 2] or [1, points, 3]: coordinates"

    private let isNormalized: Bool

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape else { return false }
        if shape.count == 3 { return shape[2] == 2 || shape[2] == 3 }
        guard shape.count == 2 || shape.count == 4, shape.dropFirst(2).allSatisfy({ $0 == 1 }) else { return false }
        return shape[1].map { $0 > 0 && $0.isMultiple(of: 2) } ?? true
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { nil }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard Self.recognizes(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "an output [1, 2 × points] or [1, points, 2]")
        }
        guard let units = configuration.pointUnits else {
            throw .usage(
                "\(signature.model): nothing says whether coordinates are pixels of the input or fractions of it; "
                    + "--point-units pixels or normalized, or \"point_units\" beside the model, does")
        }
        isNormalized = units == .normalized
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let shape = outputs.first?.shape ?? []
        let extent = shape.count == 2 ? shape[1] : 2
        guard let output = outputs.first, (2...3).contains(extent), output.elementCount > 0,
            output.elementCount.isMultiple(of: extent)
        else { throw Self.mismatch("the output is \(shape), which are no points") }
        let size = isNormalized ? ImageSize(width: 1, height: 1) : inputSize
        return [
            PointGroup(PointGroup.points(try output.finiteElements(), extent: extent, in: size), confidence: nil)
        ]
    }
}
