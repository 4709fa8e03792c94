import Images
import Models
import Platform

extension Recipe {
    /// Text reading with the models of PaddleOCR: lines are found, turned upright, and read.
    ///
    /// - Parameters:
    ///   - detector: A network with a map, for ``TextDetector``.
    ///   - direction: A classifier of upright lines and those that are upside down, in this order; nil for none.
    ///   - recognizer: A network that reads lines, for ``TextLineReader``.
    ///   - detection: How lines are found.
    ///   - minimumConfidence: Lines with less confidence in their text are left out.
    /// - Throws: ``ApusError/usage(_:)`` when a network does not take one picture.
    public static func text(
        detector: Model, direction: Model? = nil, recognizer: Model,
        detection: TextDetector.Options = TextDetector.Options(), minimumConfidence: Float = 0.5
    ) throws(ApusError) -> Recipe {
        var lines = try Stage("lines", detector, task: .text)
        lines.settings.text = detection
        var stages = [lines]
        if let direction { stages.append(try directionStage(direction)) }
        var text = try Stage("text", recognizer, task: .text)
        text.minimumConfidence = minimumConfidence
        return try Recipe(stages + [text])
    }

    private static func directionStage(_ model: Model) throws(ApusError) -> Stage {
        var stage = try Stage("direction", model, task: .classify)
        stage.becomeDirection()
        return stage
    }
}

extension Recipe.Stage {
    /// Takes what classifiers of the directions of PaddleOCR's lines are made for, where nothing else is given: their
    /// size and numbers, the classes 0 and 180, and a confidence above which a line is turned.
    mutating func becomeDirection() {
        if settings.preprocessing == nil, model.preprocessing == nil {
            settings.preprocessing = Preprocessing.ofDirections
        }
        if settings.labels == nil, model.labels == nil { settings.labels = Labels(["0", "180"]) }
        guard turns.isEmpty else { return }
        turns = ["180": 180]
        minimumConfidence = minimumConfidence ?? 0.9
    }
}

extension Preprocessing {
    /// The steps to the classifiers of directions.
    ///
    /// Source: `TextClassifier.resize_norm_img` of https://github.com/RapidAI/RapidOCR
    static var ofDirections: Preprocessing {
        var steps = Preprocessing()
        steps.resizing = .line(Line(height: 48, minimumWidth: 192, maximumWidth: 192))
        (steps.filter, steps.scale, steps.channelOrder) = (.linear, 1 / 255, .bgr)
        (steps.mean, steps.standardDeviation) = ([0.5], [0.5])
        return steps
    }
}
