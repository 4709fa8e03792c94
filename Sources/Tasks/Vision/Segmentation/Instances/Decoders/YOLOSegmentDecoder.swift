import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// The decoder for YOLOv8-seg, YOLO11-seg and similar networks: a column `[center x, center y, width, height, class…,
/// coefficient…]` for every anchor, in pixels of the input, and prototypes of masks.
///
/// Shapes: `[1, 4 + classes + M, anchors]` and `[1, M, h, w]`. A mask is the sum of the prototypes times the
/// coefficients, brought to the picture's size (``PrototypeMaps``), above 0, within the box.
/// Source: `process_mask_native` of https://github.com/ultralytics/ultralytics
package struct YOLOSegmentDecoder: InstanceDecoder {
    package static let name = "yolo-seg"

    package let classCount: Int?

    private let rows: Int
    private let prototypes: Int
    private let maskCount: Int

    package static func recognizes(_ signature: DetectorSignature) -> Bool { parts(of: signature) != nil }

    /// The positions of both outputs, and the number of prototypes.
    private static func parts(of signature: DetectorSignature) -> (rows: Int, prototypes: Int, count: Int)? {
        guard signature.outputs.count == 2, signature.inputSize != nil,
            let rows = signature.position(where: { $0.shape?.count == 3 }),
            let prototypes = signature.position(where: { $0.shape?.count == 4 }),
            let extent = signature.outputs[rows].shape?[1], let count = signature.outputs[prototypes].shape?[1],
            count >= 1, extent > 4 + count
        else { return nil }
        if let anchors = signature.outputs[rows].shape?[2], let cells = signature.cellCount(strides: [8, 16, 32]),
            anchors != cells
        {
            return nil
        }
        return (rows, prototypes, count)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .ultralytics, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let parts = Self.parts(of: signature) else {
            throw signature.refusal(
                decoder: Self.name, "outputs [1, 4 + classes + masks, anchors] and [1, masks, height, width]")
        }
        (rows, prototypes, maskCount) = parts
        classCount = signature.outputs[rows].shape?[1].map { $0 - 4 - parts.count }
    }

    package func instances(
        in outputs: [Tensor], _ question: InstanceQuestion
    ) throws -> [(ObjectCandidate, RunLengths)] {
        guard outputs.count == 2, outputs[rows].shape.count == 2, outputs[prototypes].shape.count == 3,
            outputs[prototypes].shape[0] == maskCount, outputs[rows].shape[0] > 4 + maskCount,
            outputs[prototypes].elementCount > 0
        else {
            throw RecordError(
                stage: "predict", code: "shape",
                message: "decoder \(Self.name): the outputs are \(outputs.map(\.shape)), not columns and prototypes")
        }
        let count = outputs[rows].shape[1]
        let numbers = try outputs[rows].finiteElements()
        let maps = try PrototypeMaps(outputs[prototypes], question)
        try RecordError.checkConfidences(
            numbers[4 * count..<(outputs[rows].shape[0] - maskCount) * count], "decoder \(Self.name)")
        let (found, anchors) = candidates(in: numbers, outputs[rows].shape, question)
        let kept = question.suppression.positions(in: found)
        guard !kept.isEmpty else { return [] }
        return try kept.compactMap { position in
            let first = outputs[rows].shape[0] - maskCount
            let weights = (0..<maskCount).map { numbers[(first + $0) * count + anchors[position]] }
            guard let box = found[position].box(question.placement) else { return nil }
            let mask = try maps.mask(weights, within: box)
            return mask.area > 0 ? (found[position], mask) : nil
        }
    }

    /// The boxes that are confident enough, and their anchors.
    private func candidates(
        in values: [Float], _ shape: [Int], _ question: InstanceQuestion
    ) -> ([ObjectCandidate], [Int]) {
        let (extent, anchors) = (shape[0] - maskCount, shape[1])
        let (width, height) = (Float(question.inputSize.width), Float(question.inputSize.height))
        var (found, places) = ([ObjectCandidate](), [Int]())
        for anchor in 0..<anchors {
            func value(_ row: Int) -> Float { values[row * anchors + anchor] }
            guard (4..<extent).contains(where: { value($0) >= question.confidence }),
                let best = ObjectCandidate.best((4..<extent).map(value))
            else { continue }
            found.append(
                ObjectCandidate(
                    centerX: value(0) / width, centerY: value(1) / height, width: value(2) / width,
                    height: value(3) / height, confidence: best.score, classIndex: best.index, scores: []))
            places.append(anchor)
        }
        return (found, places)
    }
}
