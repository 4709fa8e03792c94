import Models
import Platform
import Tensors

extension Tensor {
    /// The numbers of a network's output, of which an answer is made.
    ///
    /// - Parameter allowsNone: Whether −∞ is a number, as it is where numbers are logarithms of probabilities.
    /// - Throws: ``RecordError`` with the code `not-finite` when there are others than finite ones.
    package func finiteElements(allowsNone: Bool = false) throws(RecordError) -> [Float] {
        let numbers = elements(as: Float.self)
        try RecordError.checkFinite(numbers, allowsNone: allowsNone, "numbers of the output \(shape)")
        return numbers
    }
}

extension RecordError {
    /// The error of numbers of which no answer can be made: one rule for every task.
    ///
    /// - Parameter noun: What the numbers are, for people.
    package static func checkFinite(
        _ numbers: some Collection<Float>, allowsNone: Bool = false, _ noun: String
    ) throws(RecordError) {
        let count = numbers.count { !$0.isFinite && !(allowsNone && $0 == -.infinity) }
        guard count > 0 else { return }
        throw RecordError(
            stage: "predict", code: "not-finite", message: "\(count) of \(numbers.count) \(noun) are not finite")
    }

    /// How far beyond 0 and 1 rounding may carry a confidence; integers of 8 bits reach this far.
    private static let confidenceTolerance: Float = 1 / 64

    /// The error of confidences outside 0…1: the network ends in no sigmoid or softmax, or is of another family.
    package static func checkConfidences(
        _ numbers: some Sequence<Float>, _ reader: String
    ) throws(RecordError) {
        let range = -confidenceTolerance...1 + confidenceTolerance
        var (count, outside, worst) = (0, 0, Float(0))
        for number in numbers {
            count += 1
            guard !range.contains(number) else { continue }
            if outside == 0 { worst = number }
            outside += 1
        }
        guard outside > 0 else { return }
        throw RecordError(
            stage: "predict", code: "confidence",
            message:
                "\(reader): \(outside) of \(count) confidences lie outside 0 to 1, such as \(worst); the network is "
                + "of another family, or does not end in a sigmoid")
    }

    /// The error of labels for another number of classes than an output turns out to have.
    package static func checkLabels(
        _ labels: Labels?, classCount: Int, model: String, origin: String?
    ) throws(RecordError) {
        do throws(ApusError) {
            try labels?.check(classCount: classCount, model: model, origin: origin)
        } catch {
            throw RecordError(stage: "predict", code: "labels", message: "\(error)")
        }
    }
}

extension ApusError {
    /// Makes the error of a network of whose outputs no answer can be made, where none is made for a picture alone.
    package init(_ error: RecordError, model: String) { self = .usage("\(model): \(error)") }
}
