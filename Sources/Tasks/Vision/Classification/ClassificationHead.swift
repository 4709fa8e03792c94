import Features
import Platform
import Preparation
import Tensors

/// Models of features that turn the outputs of a network into classes.
struct ClassificationHead: Sendable {
    /// The stages, each of which reads what the network and earlier stages give.
    let stages: [any FeatureStage]
    /// The features in which the last stage puts its answer.
    let classifier: ClassifierOutputs

    /// The confidence in every class, for each picture of a batch, or an error of the picture where numbers are not
    /// finite.
    func rows(
        of outputs: [String: Tensor], count: Int, model: String
    ) throws(ApusError) -> [Result<[Float], RecordError>] {
        var rows: [Result<[Float], RecordError>] = []
        for index in 0..<count {
            do {
                let own = try outputs.mapValues { try $0.row(index, of: count) }
                for (_, numbers) in own where numbers.elementType.isFloatingPoint { _ = try numbers.finiteElements() }
                let confidences = try row(own.mapValues { .tensor($0) })
                try RecordError.checkFinite(confidences, "confidences")
                rows.append(.success(confidences))
            } catch let error as RecordError {
                rows.append(.failure(error))
            } catch let error as FeatureError {
                throw ApusError(error, model: model)
            } catch {
                throw ApusError(error, model: model)
            }
        }
        return rows
    }

    private func row(_ features: [String: FeatureValue]) throws(FeatureError) -> [Float] {
        var values = features
        for stage in stages { values.merge(try stage.evaluate(values)) { _, new in new } }
        if case .dictionary(let probabilities)? = values[classifier.probabilitiesName] {
            return classifier.labels.map { Float(probabilities[$0] ?? 0) }
        }
        // Without probabilities, the confidence in the class is 1.
        let chosen = values[classifier.labelName]?.key
        return classifier.labels.map { $0 == chosen ? 1 : 0 }
    }
}

extension Tensor {
    /// The row of one picture of a batch; the whole tensor where it has no axis of the batch.
    fileprivate func row(_ index: Int, of count: Int) throws -> Tensor {
        shape.first == count && count > 1 ? try sliced(axis: 0, index..<index + 1) : self
    }
}
