import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for SSD and similar detectors, which give boxes and scores: with classes, as TensorFlow's
/// `TFLite_Detection_PostProcess`, or with a score for every class.
///
/// Shapes: boxes `[1, boxes, 4]`, classes `[1, boxes]`, scores `[1, boxes]`, and optionally a count `[1]`,
/// distinguished by their names (`score`, `class` or `label`) or by this order; where scores come before boxes, classes
/// are last, as TensorFlow 2 orders them. Or boxes `[1, boxes, 4]` and scores `[1, boxes, classes]`. Further outputs of
/// TensorFlow's detection API, beside those that it calls `detection_boxes`, `detection_classes` and
/// `detection_scores`, are passed over.
///
/// Edges are `[top, left, bottom, right]` in fractions of the input where there are four outputs, otherwise
/// `[left, top, right, bottom]`. `box_format` and `box_units` of the sidecar override this; `class_offset` is the
/// number of the first class.
/// Sources: https://github.com/tensorflow/tensorflow (`detection_postprocess.cc`), https://github.com/tensorflow/models
/// (`research/object_detection/exporter_main_v2.py`)
package struct SSDDecoder: ObjectDecoder {
    package static let name = DecoderName.ssd
    package static let summary = "boxes [1, boxes, 4] with classes and scores [1, boxes], or scores [1, boxes, classes]"

    private let boxes: Int
    private let scores: Int
    /// The position of the classes; nil where scores have a column for every class.
    private let classes: Int?
    private let count: Int?
    private let format: DetectionConfiguration.BoxFormat
    private let isInPixels: Bool
    private let classOffset: Int

    /// Scores are probabilities; logits are another family's.
    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        Roles(signature) != nil && !signature.outputs.contains { $0.isCalled("logits") }
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        guard recognizes(signature) else { return false }
        if signature.outputs.allSatisfy({ $0.isCalled("detection_postprocess") }) { return true }
        if Roles(detectionAPI: signature) != nil { return true }
        return signature.outputs.contains { $0.isCalled("box", "location") }
            && signature.outputs.contains { $0.isCalled("score", "conf", "prob") }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, scale: 1 / 127.5, mean: [1], standardDeviation: [1])
    }

    /// The positions of the outputs by what they hold.
    private struct Roles {
        let boxes: Int
        let scores: Int
        var classes: Int?
        var count: Int?

        /// The outputs with the names of TensorFlow's detection API; nil where one of them is missing.
        init?(detectionAPI signature: DetectorSignature) {
            func position(_ name: String) -> Int? {
                signature.position { $0.name.split(separator: ":").first?.lowercased() == name }
            }
            guard let boxes = position("detection_boxes"), let scores = position("detection_scores"),
                let classes = position("detection_classes")
            else { return nil }
            (self.boxes, self.scores) = (boxes, scores)
            (self.classes, count) = (classes, position("num_detections"))
        }

        init?(_ signature: DetectorSignature) {
            if let roles = Roles(detectionAPI: signature) {
                self = roles
                return
            }
            let outputs = signature.outputs
            guard (2...4).contains(outputs.count), !outputs.contains(where: { $0.shape?.count == 4 }),
                let boxes = signature.position(where: { $0.ends(with: 4) && $0.isCalled("box", "location") })
                    ?? signature.position(where: { $0.ends(with: 4) && ($0.shape?.count ?? 0) >= 2 })
            else { return nil }
            self.boxes = boxes
            var rest = outputs.indices.filter { $0 != boxes }
            if outputs.count == 2 {
                guard outputs[rest[0]].shape?.count == 3 else { return nil }
                scores = rest[0]
                return
            }
            if outputs.count == 4 {
                let named = rest.first { outputs[$0].isCalled("num", "count") }
                guard let count = named ?? rest.first(where: { outputs[$0].shape?.count == 1 }) ?? rest.last else {
                    return nil
                }
                self.count = count
                rest.removeAll { $0 == count }
            }
            if let named = rest.first(where: { outputs[$0].isCalled("score", "conf", "prob") }) {
                (scores, classes) = (named, rest.first { $0 != named })
            } else if let named = rest.first(where: { outputs[$0].isCalled("class", "label") }) {
                guard let other = rest.first(where: { $0 != named }) else { return nil }
                (scores, classes) = (other, named)
            } else {
                (scores, classes) = rest[0] < boxes ? (rest[0], rest[1]) : (rest[1], rest[0])
            }
        }
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let roles = Roles(signature) else {
            throw Self.refusal(of: signature, "boxes [1, boxes, 4] with classes and scores")
        }
        (boxes, scores, classes, count) = (roles.boxes, roles.scores, roles.classes, roles.count)
        let isTensorFlow = signature.outputs.count >= 4 || Roles(detectionAPI: signature) != nil
        format = configuration.boxFormat ?? (isTensorFlow ? .topLeftBottomRight : .leftTopRightBottom)
        isInPixels = configuration.boxUnits == .pixels
        // TensorFlow's graphs count the background as class 0; those of TensorFlow Lite do not.
        let countsBackground = signature.outputs[roles.boxes].name.lowercased().hasPrefix("detection_boxes")
        classOffset = configuration.classOffset ?? (countsBackground ? 1 : 0)
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        let needed = [boxes, scores, classes ?? 0, count ?? 0].max() ?? 0
        guard outputs.indices.contains(needed) else { throw Self.mismatch("there are \(outputs.count) outputs") }
        let edges = try outputs[boxes].finiteElements()
        let scores = try outputs[scores].finiteElements()
        let boxCount = edges.count / 4
        var usable = boxCount
        if let count, let number = try outputs[count].finiteElements().first {
            usable = min(boxCount, Int(min(max(number, 0), 1e9)))
        }
        guard boxCount > 0 else { return [] }
        let width = scores.count / boxCount
        guard scores.count == boxCount * width, width >= 1, classes == nil ? width > classOffset : width == 1 else {
            throw Self.mismatch("there are \(boxCount) boxes and \(scores.count) scores")
        }
        let classNumbers: [Float]? = if let classes { try outputs[classes].finiteElements() } else { nil }
        guard classNumbers.map({ $0.count == boxCount }) ?? true else {
            throw Self.mismatch("there are \(boxCount) boxes and \(classNumbers?.count ?? 0) classes")
        }
        try Self.checkConfidences(scores[..<(usable * width)])
        var found: [ObjectCandidate] = []
        for box in 0..<usable {
            let row = Array(scores[box * width + (classNumbers == nil ? classOffset : 0)..<(box + 1) * width])
            guard let best = ObjectCandidate.best(row), best.score >= confidence else { continue }
            var index = best.index
            if let number = classNumbers?[box] {
                guard abs(number) < 1e6, Int(number) >= classOffset else { continue }
                index = Int(number) - classOffset
            }
            let (left, top, right, bottom) = format.edges(edges[box * 4..<box * 4 + 4])
            let (columns, rows) = isInPixels ? (Float(inputSize.width), Float(inputSize.height)) : (1, 1)
            found.append(
                ObjectCandidate(
                    left: left / columns, top: top / rows, right: right / columns, bottom: bottom / rows,
                    confidence: best.score, classIndex: index, scores: classNumbers == nil ? row : []))
        }
        return found
    }
}
