import Glibc
import Models
import Predicting
import Tensors

/// The classes that a network gives for one picture.
///
///     let answer = try await classifier.predict(.file("coffee.png"))
///     print(answer.label ?? "?", answer.confidence)
///     for prediction in answer.top(5) { print(prediction.index, prediction.confidence) }
public struct Classification: Sendable {
    /// The confidence in every class, in the order of the network's output.
    public let confidences: [Float]
    /// The numbers that the network gave for the picture, row-major.
    public let scores: [Float]
    private let labels: Labels?

    package init(confidences: [Float], scores: [Float]? = nil, labels: Labels?) {
        self.confidences = confidences
        self.scores = scores ?? confidences
        self.labels = labels
    }

    /// The class with the most confidence.
    public var best: ClassificationObservation {
        top(1).first ?? ClassificationObservation(index: 0, label: labels?[0], confidence: 0)
    }

    /// The name of the class with the most confidence; nil without labels.
    public var label: String? { best.label }

    /// The name of a class; its index as text when labels are not known.
    package func name(of index: Int) -> String { labels?[index] ?? String(index) }

    /// A name of its own for every class: an index stands behind a name that an earlier class has.
    package var distinctNames: [String] {
        var taken: Set<String> = []
        let names = confidences.indices.map { index in
            let name = name(of: index)
            return taken.insert(name).inserted ? name : nil
        }
        return names.enumerated().map { index, name in
            if let name { return name }
            var distinct = "\(self.name(of: index)) (\(index))"
            while !taken.insert(distinct).inserted { distinct += " (\(index))" }
            return distinct
        }
    }

    /// The confidence in the best class, from 0 to 1.
    public var confidence: Float { best.confidence }

    /// The classes with the most confidence, best first; equal ones are in the network's order.
    ///
    /// - Parameters:
    ///   - count: The maximum number of classes.
    ///   - minimum: Classes with less confidence are left out.
    public func top(_ count: Int, minimumConfidence minimum: Float = 0) -> [ClassificationObservation] {
        var chosen: [Int] = []
        for index in confidences.indices where confidences[index] >= minimum && count > 0 {
            if chosen.count == count, confidences[index] <= confidences[chosen[count - 1]] { continue }
            if chosen.count == count { chosen.removeLast() }
            let position = chosen.firstIndex { confidences[$0] < confidences[index] } ?? chosen.count
            chosen.insert(index, at: position)
        }
        return chosen.map { ClassificationObservation(index: $0, label: labels?[$0], confidence: confidences[$0]) }
    }

    /// Softmax: exp(xᵢ − max x) ÷ Σ exp(xₖ − max x), in float64.
    static func softmax(_ scores: [Float]) -> [Float] {
        let largest = Double(scores.max() ?? 0)
        let powers = scores.map { exp(Double($0) - largest) }
        let sum = powers.reduce(0, +)
        return powers.map { Float($0 / sum) }
    }
}
