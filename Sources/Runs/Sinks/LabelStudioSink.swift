import Glibc
import Images
import Platform
import Vision

/// Writes classes or objects as tasks of Label Studio with predictions: one JSON list, which its import takes.
///
///     [
///     {"data":{"image":"a.jpg"},"predictions":[{"model_version":"a.onnx","score":0.9,"result":[{"id":"1", …}]}]}
///     ]
///
/// Objects are rectangles in percent of the picture, under the names `label` and `image` of a labelling configuration
/// with `RectangleLabels`; classes are a choice under `choice`, with `Choices`. `image` is the record's id. Pictures
/// without objects have a prediction without results, and those with errors no entry.
///
/// Source: https://labelstud.io/guide/predictions
public struct LabelStudioSink: Sink {
    private let output: RowFile
    private let options: SinkKind.RowOptions
    private let model: String
    private var isEmpty: Bool

    package init(_ output: RowFile, _ target: SinkTarget) {
        (self.output, options, model) = (output, target.options, target.identity?.model ?? "apus")
        isEmpty = target.checkpoint?.state["objects"] ?? 0 == 0
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        let results: (text: String, score: Float)
        switch record.answer {
        case .success(.classes(let answer)): results = choices(answer)
        case .success(.objects(let detection)):
            guard detection.imageSize != nil else {
                throw .failed(name: output.name, message: "\(record.id) is an array; rectangles need a picture")
            }
            results = rectangles(detection)
        default: return
        }
        var text = COCOSink.separator(isFirst: isEmpty) + "{\"data\":{\"image\":"
        isEmpty = false
        text.appendJSON(record.id)
        text += "},\"predictions\":[{\"model_version\":"
        text.appendJSON(model)
        text += ",\"score\":"
        text.appendJSON(results.score)
        try output.write(text + ",\"result\":[\(results.text)]}]}")
    }

    /// The class with the most confidence, as a choice.
    private func choices(_ answer: Classification) -> (String, Float) {
        guard let best = options.predictions(answer).first else { return ("", 0) }
        var text = "{\"id\":\"1\",\"type\":\"choices\",\"from_name\":\"choice\",\"to_name\":\"image\",\"score\":"
        text.appendJSON(best.confidence)
        text += ",\"value\":{\"choices\":["
        text.appendJSON(best.label ?? "\(best.index)")
        return (text + "]}}", best.confidence)
    }

    private func rectangles(_ detection: ObjectDetection) -> (String, Float) {
        guard let size = detection.imageSize else { return ("", 0) }
        var text = ""
        for (position, object) in detection.objects.enumerated() {
            if position > 0 { text += "," }
            text +=
                "{\"id\":\"\(position + 1)\",\"type\":\"rectanglelabels\",\"from_name\":\"label\",\"to_name\":\"image\","
            text +=
                "\"original_width\":\(size.width),\"original_height\":\(size.height),\"image_rotation\":0,\"score\":"
            text.appendJSON(object.confidence)
            text += ",\"value\":{\"rotation\":"
            let (degrees, box) = Self.rectangle(object, in: size)
            if degrees == 0 { text += "0" } else { text.appendJSON(degrees) }
            for (name, share) in [("x", box.x), ("y", box.y), ("width", box.width), ("height", box.height)] {
                text += ",\"\(name)\":"
                text.appendJSON(share * 100)
            }
            text += ",\"rectanglelabels\":["
            text.appendJSON(object.identifier)
            text += "]}}"
        }
        return (text, detection.objects.map(\.confidence).max() ?? 0)
    }

    /// The angle by which a rectangle is turned clockwise around its upper left corner, and the rectangle before that.
    private static func rectangle(_ object: RecognizedObject, in size: ImageSize) -> (Float, NormalizedBox) {
        guard let corners = object.cornerPixels(in: size), corners.count == 8 else { return (0, object.box) }
        let (left, top) = (corners[0], corners[1])
        let (across, down) = ((corners[2] - left, corners[3] - top), (corners[6] - left, corners[7] - top))
        let box = NormalizedBox(
            x: left / Float(size.width), y: top / Float(size.height),
            width: hypot(across.0, across.1) / Float(size.width),
            height: hypot(down.0, down.1) / Float(size.height))
        return (atan2(across.1, across.0) * 180 / .pi, box)
    }

    private var state: [String: Int] { ["objects": isEmpty ? 0 : 1] }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint { try output.commit(state: state) }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try output.write(COCOSink.end(isEmpty: isEmpty))
        return try output.finish(state: state)
    }
}
