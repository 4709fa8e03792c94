import Images
import Inference
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

    /// The steps are those of `TextClassifier.resize_norm_img` of https://github.com/RapidAI/RapidOCR
    private static func directionStage(_ model: Model) throws(ApusError) -> Stage {
        var steps = Preprocessing()
        steps.resizing = .line(Preprocessing.Line(height: 48, minimumWidth: 192, maximumWidth: 192))
        (steps.filter, steps.scale, steps.channelOrder) = (.linear, 1 / 255, .bgr)
        (steps.mean, steps.standardDeviation) = ([0.5], [0.5])
        var stage = try Stage(
            "direction", model, task: .classify, preprocessing: steps, labels: Labels(["0", "180"]))
        (stage.turns, stage.minimumConfidence) = (["180": 180], 0.9)
        return stage
    }
}
