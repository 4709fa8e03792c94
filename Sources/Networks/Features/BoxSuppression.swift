import Tensors

/// Non-maximum suppression: of boxes that overlap more than a threshold, only the one with the highest confidence
/// stays.
///
/// Confidences [boxes, classes] and coordinates [boxes, 4] (centre x and y, width, height) become those of the boxes
/// that stay, the most confident first.
package struct BoxSuppression: FeatureStage {
    /// The names of inputs and outputs. The name of a threshold is empty where the model fixes the threshold.
    package struct Names: Sendable {
        package var confidence = "", coordinates = ""
        package var iouThreshold = "", confidenceThreshold = ""
        package var confidenceOutput = "", coordinatesOutput = ""
        package init() {}
    }

    package let names: Names
    package let iouThreshold: Double
    package let confidenceThreshold: Double
    /// Whether a box suppresses only boxes of its own class.
    package let isPerClass: Bool
    /// The classes in the order of the confidences; empty where the model does not name them.
    package let labels: [FeatureKey]

    private static let maximumBoxCount = 1 << 17

    package init(
        names: Names, iouThreshold: Double, confidenceThreshold: Double, isPerClass: Bool, labels: [FeatureKey]
    ) {
        self.names = names
        self.iouThreshold = iouThreshold
        self.confidenceThreshold = confidenceThreshold
        self.isPerClass = isPerClass
        self.labels = labels
    }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let (confidence, classes) = try rows(names.confidence, inputs)
        let (boxes, four) = try rows(names.coordinates, inputs)
        let count = classes > 0 ? confidence.count / classes : 0
        guard four == 4, boxes.count == 4 * count, count <= Self.maximumBoxCount else {
            throw .input("\(count) rows of confidences do not fit \(boxes.count) coordinates")
        }
        let limit = threshold(names.confidenceThreshold, inputs) ?? confidenceThreshold
        let overlap = threshold(names.iouThreshold, inputs) ?? iouThreshold
        var candidates: [(index: Int, label: Int, score: Double)] = []
        for index in 0..<count {
            var (label, score) = (0, confidence[index * classes])
            for other in 1..<max(classes, 1) where confidence[index * classes + other] > score {
                (label, score) = (other, confidence[index * classes + other])
            }
            if score >= limit { candidates.append((index, label, score)) }
        }
        candidates.sort { ($1.score, $0.index) < ($0.score, $1.index) }
        var kept: [(index: Int, label: Int, score: Double)] = []
        for candidate in candidates {
            let isHidden = kept.contains { other in
                (!isPerClass || other.label == candidate.label)
                    && Self.intersectionOverUnion(boxes, candidate.index, other.index) > overlap
            }
            if !isHidden { kept.append(candidate) }
        }
        let scores = kept.flatMap { confidence[$0.index * classes..<($0.index + 1) * classes] }
        let corners = kept.flatMap { boxes[$0.index * 4..<$0.index * 4 + 4] }
        do {
            return [
                names.confidenceOutput: .tensor(try Tensor(scores, shape: [kept.count, classes])),
                names.coordinatesOutput: .tensor(try Tensor(corners, shape: [kept.count, 4])),
            ]
        } catch {
            throw .tensor(error)
        }
    }

    private func threshold(_ name: String, _ inputs: [String: FeatureValue]) -> Double? {
        name.isEmpty ? nil : inputs[name]?.numbers?.first
    }

    /// The numbers of a matrix, and the length of its rows.
    private func rows(
        _ name: String, _ inputs: [String: FeatureValue]
    ) throws(FeatureError) -> (numbers: [Double], width: Int) {
        guard let value = inputs[name] else { throw .input("feature \"\(name)\" is missing") }
        guard case .tensor(let tensor) = value, tensor.shape.count >= 2, let width = tensor.shape.last else {
            throw .input("feature \"\(name)\" is \(value.kind); rows of numbers are expected")
        }
        return (tensor.elements(as: Double.self), width)
    }

    private static func intersectionOverUnion(_ boxes: [Double], _ first: Int, _ second: Int) -> Double {
        let (a, b) = (boxes[first * 4..<first * 4 + 4], boxes[second * 4..<second * 4 + 4])
        func overlap(_ axis: Int) -> Double {
            let (p, q) = (a.startIndex + axis, b.startIndex + axis)
            return min(a[p] + a[p + 2] / 2, b[q] + b[q + 2] / 2) - max(a[p] - a[p + 2] / 2, b[q] - b[q + 2] / 2)
        }
        let (width, height) = (overlap(0), overlap(1))
        guard width > 0, height > 0 else { return 0 }
        let areas = a[a.startIndex + 2] * a[a.startIndex + 3] + b[b.startIndex + 2] * b[b.startIndex + 3]
        return width * height / (areas - width * height)
    }
}
