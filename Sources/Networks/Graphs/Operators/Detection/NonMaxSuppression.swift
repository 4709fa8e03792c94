import Tensors

/// Non-maximum suppression: of boxes that overlap more than a threshold, only the one with the highest score stays.
///
/// For each class, the box with the highest remaining score is taken, and every other box whose intersection over union
/// with it is above the threshold is dropped.
///
/// Shapes: boxes [N, B, 4], scores [N, C, B], max_output_boxes_per_class, iou_threshold, score_threshold (one element
/// each, optional) → [boxes taken, 3], int64: image, class and box.
/// Attributes: `center_point_box` (0: corners y1, x1, y2, x2; 1: centre x, centre y, width, height).
/// Numerics: float32; without a number of boxes none is taken; without a score threshold none is dropped by its score;
/// of equal scores the first box comes first.
/// Reference: https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
package struct NonMaxSuppression: DataDependentOperator {
    package static let name = "NonMaxSuppression"
    package static let inputCount = 2...5
    package var hasCenters: Bool

    package init(hasCenters: Bool = false) {
        self.hasCenters = hasCenters
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        hasCenters = try attributes.bool("center_point_box", default: false)
    }

    package var attributes: [String: AttributeValue] { hasCenters ? ["center_point_box": .int(1)] : [:] }

    private struct Box {
        var (top, left, bottom, right): (Float, Float, Float, Float)

        init(_ numbers: ArraySlice<Float>, hasCenters: Bool) {
            let n = Array(numbers)
            if hasCenters {
                (left, right) = (n[0] - n[2] / 2, n[0] + n[2] / 2)
                (top, bottom) = (n[1] - n[3] / 2, n[1] + n[3] / 2)
            } else {
                (top, bottom) = (min(n[0], n[2]), max(n[0], n[2]))
                (left, right) = (min(n[1], n[3]), max(n[1], n[3]))
            }
        }

        var area: Float { (bottom - top) * (right - left) }

        /// Whether intersection over union is above a threshold.
        func overlaps(_ other: Box, above threshold: Float) -> Bool {
            let height = min(bottom, other.bottom) - max(top, other.top)
            let width = min(right, other.right) - max(left, other.left)
            guard height > 0, width > 0 else { return false }
            let intersection = height * width
            let union = area + other.area - intersection
            return union > 0 && intersection / union > threshold
        }
    }

    package func evaluate(_ inputs: [Tensor?]) throws -> [Tensor] {
        let (boxes, scores) = (try inputs.required(0), try inputs.required(1))
        guard boxes.shape.count == 3, boxes.shape[2] == 4, scores.shape.count == 3, scores.shape[0] == boxes.shape[0],
            scores.shape[2] == boxes.shape[1]
        else {
            throw OperatorError.invalid(
                "boxes are \(boxes.shape) and scores \(scores.shape); [N, B, 4] and [N, C, B] are expected")
        }
        let wanted = try number(inputs, 2, Int64.self) ?? 0
        let threshold = try number(inputs, 3, Float.self) ?? 0
        guard threshold >= 0, threshold <= 1 else {
            throw OperatorError.invalid("the threshold of overlap is \(threshold)")
        }
        let minimumScore = try number(inputs, 4, Float.self)
        var taken: [Int64] = []
        guard wanted > 0 else { return [try Tensor(taken, shape: [0, 3])] }
        let count = boxes.shape[1]
        let corners = boxes.elements(as: Float.self)
        let values = scores.elements(as: Float.self)
        for image in 0..<boxes.shape[0] {
            let boxes = (0..<count).map { box in
                let start = (image * count + box) * 4
                return Box(corners[start..<start + 4], hasCenters: hasCenters)
            }
            for category in 0..<scores.shape[1] {
                let start = (image * scores.shape[1] + category) * count
                let candidates = (0..<count).filter { minimumScore == nil || values[start + $0] > minimumScore ?? 0 }
                    .sorted { (values[start + $0], $1) > (values[start + $1], $0) }
                var kept: [Box] = []
                for candidate in candidates where kept.count < wanted {
                    guard !kept.contains(where: { $0.overlaps(boxes[candidate], above: threshold) }) else { continue }
                    kept.append(boxes[candidate])
                    taken += [Int64(image), Int64(category), Int64(candidate)]
                }
            }
        }
        return [try Tensor(taken, shape: [taken.count / 3, 3])]
    }

    private func number<Number: TensorElement>(
        _ inputs: [Tensor?], _ index: Int, _: Number.Type
    ) throws(OperatorError) -> Number? {
        guard let tensor = inputs.optional(index) else { return nil }
        guard tensor.elementCount == 1 else {
            throw .invalid("input \(index) has the shape \(tensor.shape); one element is expected")
        }
        return tensor.elements(as: Number.self).first
    }
}
