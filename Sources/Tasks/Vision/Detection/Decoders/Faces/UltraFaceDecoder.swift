import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for the Ultra-Light-Fast-Generic-Face-Detector (RFB-320, RFB-640 and the slim networks).
///
/// Shapes: `[1, priors, 2]` probabilities of background and face, and `[1, priors, 4]` left, top, right and bottom in
/// fractions of the input. There are three priors in each cell of the strides 8 and 64, and two in those of 16 and 32;
/// grids have one cell more where the stride does not divide the side.
/// Source: https://github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB (`detect_imgs_onnx.py`,
/// `vision/ssd/config/fd_config.py`)
package struct UltraFaceDecoder: ObjectDecoder {
    package static let name = DecoderName.ultraface
    package static let summary = "probabilities [1, priors, 2], boxes [1, priors, 4] in fractions"
    package static var customaryConfidence: Float? { 0.7 }
    package static var customaryOverlap: Float? { 0.5 }
    package static var customaryLabels: Labels? { .face }

    /// The strides with the number of priors in each cell.
    private static let grids: [(stride: Int, count: Int)] = [(8, 3), (16, 2), (32, 2), (64, 3)]

    private let scores, boxes: Int

    private static func priorCount(_ size: ImageSize) -> Int {
        grids.reduce(0) {
            $0 + ((size.width + $1.stride - 1) / $1.stride) * ((size.height + $1.stride - 1) / $1.stride) * $1.count
        }
    }

    private static func positions(_ signature: DetectorSignature) -> (scores: Int, boxes: Int)? {
        guard signature.outputs.count == 2, let size = signature.inputSize else { return nil }
        func position(_ extent: Int) -> Int? {
            signature.position { output in
                guard let shape = output.shape, shape.count == 3 else { return false }
                return shape[2] == extent && shape[1] == priorCount(size)
            }
        }
        guard let scores = position(2), let boxes = position(4) else { return nil }
        return (scores, boxes)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }
    package static func classCount(of signature: DetectorSignature) -> Int? { 1 }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, filter: .linear, scale: 1, mean: [127], standardDeviation: [128])
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let positions = Self.positions(signature) else {
            throw Self.refusal(of: signature, "two outputs: \(Self.summary)")
        }
        (scores, boxes) = positions
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        let count = Self.priorCount(inputSize)
        guard tensors.count == 2, tensors[boxes].elementCount == count * 4, tensors[scores].elementCount == count * 2
        else {
            throw Self.mismatch(
                "the outputs are \(tensors.map(\.shape)); a picture of \(inputSize) has \(count) priors")
        }
        let (edges, probabilities) = (try tensors[boxes].finiteElements(), try tensors[scores].finiteElements())
        try Self.checkConfidences(probabilities)
        return (0..<count).filter { probabilities[$0 * 2 + 1] >= confidence }.map { prior in
            ObjectCandidate(
                left: edges[prior * 4], top: edges[prior * 4 + 1], right: edges[prior * 4 + 2],
                bottom: edges[prior * 4 + 3], confidence: probabilities[prior * 2 + 1], classIndex: 0)
        }
    }
}
