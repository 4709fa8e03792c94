// Figures by their names; they are null where nothing was counted.

extension DetectionEvaluation: Encodable {
    private enum Key: String, CodingKey {
        case kind, pictures, objects, results, failed, unmarked, absent, unknownClasses, figures, classes, worstPictures
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(pictureCount, forKey: .pictures)
        try container.encode(objectCount, forKey: .objects)
        try container.encode(resultCount, forKey: .results)
        try container.encode(failedCount, forKey: .failed)
        try container.encode(unmarkedCount, forKey: .unmarked)
        try container.encode(absentCount, forKey: .absent)
        try container.encode(unknownClassCount, forKey: .unknownClasses)
        try container.encode(
            Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0.value) }), forKey: .figures)
        try container.encode(classes, forKey: .classes)
        try container.encode(worstPictures, forKey: .worstPictures)
    }
}

extension DetectionEvaluation.ClassResult: Encodable {
    private enum Key: String, CodingKey {
        case category, name, objects, results, averagePrecision = "AP", averagePrecision50 = "AP50", averageRecall =
            "AR"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(category, forKey: .category)
        try container.encode(name, forKey: .name)
        try container.encode(objectCount, forKey: .objects)
        try container.encode(resultCount, forKey: .results)
        try container.encode(averagePrecision, forKey: .averagePrecision)
        try container.encode(averagePrecision50, forKey: .averagePrecision50)
        try container.encode(averageRecall, forKey: .averageRecall)
    }
}

extension DetectionEvaluation.PictureResult: Encodable {
    private enum Key: String, CodingKey { case picture, fileName = "file", found, missed, wrong }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(picture, forKey: .picture)
        try container.encode(fileName, forKey: .fileName)
        try container.encode(foundCount, forKey: .found)
        try container.encode(missedCount, forKey: .missed)
        try container.encode(wrongCount, forKey: .wrong)
    }
}
