// Computed figures are written too; they are null when nothing was counted.

extension Evaluation: Encodable {
    private enum Key: String, CodingKey {
        case pictures, failed, unlabelled, unknownLabels, top1, top5, top1Count, top5Count, meanPrecision, meanRecall
        case calibration, classes, confusions, worstMistakes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(imageCount, forKey: .pictures)
        try container.encode(failedCount, forKey: .failed)
        try container.encode(unlabelledCount, forKey: .unlabelled)
        try container.encode(unknownLabelCount, forKey: .unknownLabels)
        try container.encode(top1, forKey: .top1)
        try container.encode(top5, forKey: .top5)
        try container.encode(top1Count, forKey: .top1Count)
        try container.encode(top5Count, forKey: .top5Count)
        try container.encode(meanPrecision, forKey: .meanPrecision)
        try container.encode(meanRecall, forKey: .meanRecall)
        try container.encode(calibration, forKey: .calibration)
        try container.encode(classes, forKey: .classes)
        try container.encode(confusions, forKey: .confusions)
        try container.encode(worstMistakes, forKey: .worstMistakes)
    }
}

extension Evaluation.ClassResult: Encodable {
    private enum Key: String, CodingKey { case index, name, pictures, predicted, correct, precision, recall }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(index, forKey: .index)
        try container.encode(name, forKey: .name)
        try container.encode(imageCount, forKey: .pictures)
        try container.encode(predictedCount, forKey: .predicted)
        try container.encode(correctCount, forKey: .correct)
        try container.encode(precision, forKey: .precision)
        try container.encode(recall, forKey: .recall)
    }
}

extension Evaluation.Confusion: Encodable {
    private enum Key: String, CodingKey { case actual, actualName, predicted, predictedName, count }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(actual, forKey: .actual)
        try container.encode(actualName, forKey: .actualName)
        try container.encode(predicted, forKey: .predicted)
        try container.encode(predictedName, forKey: .predictedName)
        try container.encode(count, forKey: .count)
    }
}

extension Evaluation.Mistake: Encodable {
    private enum Key: String, CodingKey { case id, actual, actualName, predicted, predictedName, confidence }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(actual, forKey: .actual)
        try container.encode(actualName, forKey: .actualName)
        try container.encode(predicted, forKey: .predicted)
        try container.encode(predictedName, forKey: .predictedName)
        try container.encode(confidence, forKey: .confidence)
    }
}

extension Calibration: Encodable {
    private enum Key: String, CodingKey { case expectedError, bins }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(expectedError, forKey: .expectedError)
        try container.encode(bins, forKey: .bins)
    }
}

extension Calibration.Bin: Encodable {
    private enum Key: String, CodingKey { case count, correct, accuracy, meanConfidence }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(count, forKey: .count)
        try container.encode(correctCount, forKey: .correct)
        try container.encode(accuracy, forKey: .accuracy)
        try container.encode(meanConfidence, forKey: .meanConfidence)
    }
}
