import Tensors

#if canImport(Glibc)
    import Glibc
#endif

/// The boxes of an SSD detector: decodes encodings with their anchors, and suppresses boxes that overlap better ones.
///
/// centre = encoding / scale · extent of the anchor + centre of the anchor; extent = e^(encoding / scale) · the
/// anchor's.
///
/// Fast suppression compares boxes by their best score, regardless of the class, and gives the best classes of every
/// kept box. Regular suppression runs for each class, and gives the best boxes of all classes.
///
/// Shapes: encodings [1, B, 4 or more] (y, x, height, width), scores [1, B, C] with the classes last, anchors [B, 4]
/// (as the encodings) → boxes [1, N, 4] (top, left, bottom, right), classes [1, N], scores [1, N], count [1], float32,
/// N being `max_detections` · `max_classes_per_detection`.
/// Attributes: those of the custom operator `TFLite_Detection_PostProcess`.
/// Numerics: boxes in float64, overlaps in float32; of equal scores the first comes first. The outputs after the boxes
/// found are 0.
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/kernels/detection_postprocess.cc
package struct DetectionPostProcess: Operator {
    package static let name = "DetectionPostProcess"
    package static let domain = "apus"
    package static let inputCount = 3...3
    package static let outputCount = 4...4
    package var maximumDetections: Int
    package var maximumClassesPerDetection: Int
    package var detectionsPerClass: Int
    package var isClassByClass: Bool
    package var scoreThreshold: Float
    package var overlapThreshold: Float
    package var classCount: Int
    /// The divisors of encodings: y, x, height, width.
    package var scales: [Float]

    private static let maximumBoxes = 1 << 20

    /// Makes an operator.
    ///
    /// - Throws: ``OperatorError`` naming the option that is out of range.
    package init(
        maximumDetections: Int, maximumClassesPerDetection: Int, detectionsPerClass: Int, isClassByClass: Bool,
        scoreThreshold: Float, overlapThreshold: Float, classCount: Int, scales: [Float]
    ) throws(OperatorError) {
        self.maximumDetections = maximumDetections
        self.maximumClassesPerDetection = maximumClassesPerDetection
        self.detectionsPerClass = detectionsPerClass
        self.isClassByClass = isClassByClass
        self.scoreThreshold = scoreThreshold
        self.overlapThreshold = overlapThreshold
        self.classCount = classCount
        self.scales = scales
        let counts = [
            ("max_detections", maximumDetections), ("max_classes_per_detection", maximumClassesPerDetection),
            ("detections_per_class", detectionsPerClass), ("num_classes", classCount),
        ]
        for (name, count) in counts where !(1...Self.maximumBoxes).contains(count) {
            throw .invalid("\(name) is \(count); a number from 1 to \(Self.maximumBoxes) is expected")
        }
        guard maximumDetections * maximumClassesPerDetection <= Self.maximumBoxes else {
            throw .invalid("\(maximumDetections) boxes with \(maximumClassesPerDetection) classes each are too many")
        }
        guard isClassByClass || maximumClassesPerDetection <= classCount else {
            throw .unsupported("\(maximumClassesPerDetection) classes of a box where there are \(classCount)")
        }
        guard !scoreThreshold.isNaN else { throw .invalid("nms_score_threshold is nan") }
        guard overlapThreshold > 0, overlapThreshold <= 1 else {
            throw .invalid("nms_iou_threshold is \(overlapThreshold); a number above 0 up to 1 is expected")
        }
        guard scales.count == 4, scales.allSatisfy({ $0.isFinite && $0 > 0 }) else {
            throw .invalid("the scales of y, x, h and w are \(scales); positive numbers are expected")
        }
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        [
            "max_detections": .int(Int64(maximumDetections)),
            "max_classes_per_detection": .int(Int64(maximumClassesPerDetection)),
            "detections_per_class": .int(Int64(detectionsPerClass)), "use_regular_nms": .int(isClassByClass ? 1 : 0),
            "nms_score_threshold": .float(scoreThreshold), "nms_iou_threshold": .float(overlapThreshold),
            "num_classes": .int(Int64(classCount)), "scales": .floats(scales),
        ]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let encodings = try inputs.floatingPoint(0).shape
        let (scores, anchors) = (try inputs.required(1).shape, try inputs.required(2).shape)
        try inputs.expectSameElementType(0..<3)
        guard encodings.count == 3, encodings[0] == 1, encodings[2] >= 4, anchors == [encodings[1], 4],
            scores.count == 3, scores[0] == 1, scores[1] == encodings[1]
        else {
            throw .invalid("encodings \(encodings), scores \(scores) and anchors \(anchors) do not fit each other")
        }
        guard scores[2] >= classCount else {
            throw .invalid("there are scores of \(scores[2]) classes, fewer than \(classCount)")
        }
        let count = maximumDetections * maximumClassesPerDetection
        return [[1, count, 4], [1, count], [1, count], [1]].map { TensorType(.float32, $0) }
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let boxes = inputs.optional(0)?.shape.dropFirst().first ?? 0
        return OperatorCost(
            multiplyAdds: [boxes, maximumDetections, isClassByClass ? classCount : 1].saturatingProduct, inputs: inputs,
            outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let scores = try inputs.required(1)
        let boxes = decoded(try inputs.required(0), try inputs.required(2))
        let detector = Suppression(
            boxes: boxes, scores: scores.elements(as: Float.self), stride: scores.shape[2],
            offset: scores.shape[2] - classCount, settings: self)
        let (found, count) = isClassByClass ? detector.classByClass() : detector.fast()
        var edges = [Float](repeating: 0, count: outputTypes[0].elementCount)
        var classes = [Float](repeating: 0, count: outputTypes[1].elementCount)
        var values = classes
        for (position, detection) in found.prefix(classes.count).enumerated() {
            let box = boxes[detection.box]
            edges.replaceSubrange(4 * position..<4 * position + 4, with: [box.top, box.left, box.bottom, box.right])
            classes[position] = Float(detection.category)
            values[position] = detector.score(detection.box, detection.category)
        }
        return [
            try Tensor(edges, shape: outputTypes[0].shape), try Tensor(classes, shape: outputTypes[1].shape),
            try Tensor(values, shape: outputTypes[2].shape), try Tensor([Float(count)], shape: [1]),
        ]
    }

    private func decoded(_ encodings: Tensor, _ anchors: Tensor) -> [Box] {
        let (codes, anchors) = (encodings.elements(as: Float.self), anchors.elements(as: Float.self))
        return (0..<encodings.shape[1]).map { box in
            func code(_ index: Int) -> Double { Double(codes[box * encodings.shape[2] + index] / scales[index]) }
            func anchor(_ index: Int) -> Double { Double(anchors[box * 4 + index]) }
            let (y, x) = (code(0) * anchor(2) + anchor(0), code(1) * anchor(3) + anchor(1))
            let (height, width) = (exp(code(2)) * anchor(2) / 2, exp(code(3)) * anchor(3) / 2)
            return Box(
                top: Float(y - height), left: Float(x - width), bottom: Float(y + height), right: Float(x + width))
        }
    }
}

private struct Box {
    let (top, left, bottom, right): (Float, Float, Float, Float)

    init(top: Float, left: Float, bottom: Float, right: Float) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }

    var area: Float { (bottom - top) * (right - left) }

    func overlaps(_ other: Box, above threshold: Float) -> Bool {
        guard area > 0, other.area > 0 else { return false }
        let height = max(0, min(bottom, other.bottom) - max(top, other.top))
        let width = max(0, min(right, other.right) - max(left, other.left))
        return height * width / (area + other.area - height * width) > threshold
    }
}

/// The suppression of one picture's boxes.
private struct Suppression {
    let boxes: [Box]
    let scores: [Float]
    /// The number of classes in a row of scores, and the first class that counts.
    let stride: Int
    let offset: Int
    let settings: DetectionPostProcess

    func score(_ box: Int, _ category: Int) -> Float { scores[box * stride + offset + category] }

    /// The best classes of each kept box, and the number of these boxes.
    func fast() -> (found: [(box: Int, category: Int)], count: Int) {
        let categories = 0..<settings.classCount
        let best = boxes.indices.map { box in
            categories.dropFirst().reduce(0) { score(box, $1) > score(box, $0) ? $1 : $0 }
        }
        let kept = kept(boxes.indices.map { score($0, best[$0]) }, atMost: settings.maximumDetections)
        let found = kept.flatMap { box in
            let order = categories.sorted { (score(box, $0), $1) > (score(box, $1), $0) }
            return order.prefix(settings.maximumClassesPerDetection).map { (box: box, category: $0) }
        }
        return (found, kept.count)
    }

    func classByClass() -> (found: [(box: Int, category: Int)], count: Int) {
        var found: [(box: Int, category: Int)] = []
        for category in 0..<settings.classCount {
            let values = boxes.indices.map { score($0, category) }
            let most = min(settings.detectionsPerClass, settings.maximumDetections)
            found += kept(values, atMost: most).map { (box: $0, category: category) }
        }
        let order = found.indices.sorted {
            let (a, b) = (found[$0], found[$1])
            return (score(a.box, a.category), $1) > (score(b.box, b.category), $0)
        }
        let taken = order.prefix(settings.maximumDetections).map { found[$0] }
        return (taken, taken.count)
    }

    /// The boxes with the highest of `values`, in descending order, none of which overlaps an earlier one.
    private func kept(_ values: [Float], atMost most: Int) -> [Int] {
        let candidates = values.indices.filter { values[$0] >= settings.scoreThreshold }
            .sorted { (values[$0], $1) > (values[$1], $0) }
        var kept: [Int] = []
        for candidate in candidates where kept.count < most {
            let box = boxes[candidate]
            guard !kept.contains(where: { boxes[$0].overlaps(box, above: settings.overlapThreshold) }) else { continue }
            kept.append(candidate)
        }
        return kept
    }
}
