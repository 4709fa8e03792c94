import Inference
import Models
import Platform
import Runs
import Tensors
import Vision

/// A network's answers for the pictures of a calibration.
struct CalibrationAnswers {
    /// The agreement of a rounded network's answers with those of the float network.
    struct Agreement {
        /// See ``QuantizationReport/agreementCount``.
        let count: Int
        /// See ``QuantizationReport/expectedAgreement``.
        let expected: Double
        /// See ``QuantizationReport/boxAgreement``.
        let ofBoxes: Double?
    }

    /// The numbers of the first output for each picture.
    private(set) var scores: [[Float]] = []
    /// The objects in each picture; nothing for networks that are no detectors.
    private(set) var objects: [[ObjectCandidate]] = []

    /// Runs a network.
    ///
    /// - Parameters:
    ///   - reader: Reads the objects of a detector.
    ///   - keepsScores: Whether the numbers of a detector's first output are kept, too.
    init(
        of model: Model, _ pictures: [Tensor], _ reader: DetectionReader?, keepsScores: Bool = false,
        _ options: Model.QuantizationOptions, _ show: (Int, Int) -> Void
    ) async throws {
        let session = try await Session(model, options: options.session)
        let names = (input: model.graph[model.graph.inputs[0]].name, output: model.graph[model.graph.outputs[0]].name)
        for (index, picture) in pictures.enumerated() {
            show(index + 1, pictures.count)
            let inputs = [names.input: picture]
            let outputs = try await session.predict(inputs)
            if let reader { objects.append(try reader.objects(in: outputs, of: inputs)) }
            if reader == nil || keepsScores { scores.append(outputs[names.output]?.elements(as: Float.self) ?? []) }
        }
    }

    /// How well the answers of a rounded network agree with these.
    func agreement(of rounded: CalibrationAnswers) throws(ApusError) -> Agreement {
        guard rounded.objects.isEmpty else {
            let boxes = try DetectionEvaluation.agreement(of: rounded.objects, with: objects)
            let count = zip(rounded.objects, objects).count { $0.countsOfClasses == $1.countsOfClasses }
            // Where the float network finds nothing, pictures without objects are what can stay.
            return Agreement(
                count: count, expected: boxes ?? Double(count) / Double(max(objects.count, 1)), ofBoxes: boxes)
        }
        let margins = ScoreMargins(scores, rounded: rounded.scores)
        return Agreement(count: margins.agreementCount, expected: margins.expectedAgreement, ofBoxes: nil)
    }
}

extension [ObjectCandidate] {
    fileprivate var countsOfClasses: [Int: Int] { reduce(into: [:]) { $0[$1.classIndex, default: 0] += 1 } }
}
