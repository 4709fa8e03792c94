// Computed figures are written too; they are null when nothing was counted.

extension SegmentationEvaluation: Encodable {
    private enum Key: String, CodingKey {
        case pictures, failed, unmarked, pixels, pixelAccuracy, meanIoU, classes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(pictureCount, forKey: .pictures)
        try container.encode(failedCount, forKey: .failed)
        try container.encode(unmarkedCount, forKey: .unmarked)
        try container.encode(pixelCount, forKey: .pixels)
        try container.encode(pixelAccuracy, forKey: .pixelAccuracy)
        try container.encode(meanIntersectionOverUnion, forKey: .meanIoU)
        try container.encode(classes, forKey: .classes)
    }
}

extension SegmentationEvaluation.ClassResult: Encodable {
    private enum Key: String, CodingKey { case index, name, pixels, predicted, correct, IoU, accuracy }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(index, forKey: .index)
        try container.encode(name, forKey: .name)
        try container.encode(pixelCount, forKey: .pixels)
        try container.encode(predictedCount, forKey: .predicted)
        try container.encode(correctCount, forKey: .correct)
        try container.encode(intersectionOverUnion, forKey: .IoU)
        try container.encode(accuracy, forKey: .accuracy)
    }
}
