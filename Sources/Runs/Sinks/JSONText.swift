import Platform
import Vision

extension PredictionRecord {
    /// The record as a JSON object on one line, with classes or with objects:
    ///
    ///     {"id":"a.jpg","predictions":[{"index":967,"label":"espresso","confidence":0.99938}],"error":null}
    ///     {"id":"a.jpg","width":640,"height":480,
    ///      "objects":[{"index":0,"label":"cat","confidence":0.9,"box":[0.1,0.2,0.3,0.4]}],"error":null}
    ///
    /// A frame of a video has `"time"`, in seconds, after its id. A picture whose file is damaged, although all pixels
    /// could be decoded, has `"warning"` after its error.
    package func jsonText(_ options: SinkKind.RowOptions) -> String {
        var text = "{\"id\":"
        text.appendJSON(id)
        if let timestamp { text += ",\"time\":\(timestamp.secondsText)" }
        switch answer {
        case .success(.classes(let answer)):
            text += ",\"predictions\":["
            for (position, prediction) in options.predictions(answer).enumerated() {
                text +=
                    position == 0
                    ? "{\"index\":\(prediction.index),\"label\":" : ",{\"index\":\(prediction.index),\"label\":"
                text.appendJSON(prediction.label)
                text += ",\"confidence\":"
                text.appendJSON(prediction.confidence)
                text += "}"
            }
            text += "],\"error\":null"
        case .success(.objects(let detection)):
            if let size = detection.imageSize { text += ",\"width\":\(size.width),\"height\":\(size.height)" }
            text += ",\"objects\":["
            for (position, object) in detection.objects.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(object)
            }
            text += "],\"error\":null"
        case .failure(let error):
            text += options.content == .objects ? ",\"objects\":null,\"error\":" : ",\"predictions\":null,\"error\":"
            text.appendJSON(error)
        }
        if let warning {
            text += ",\"warning\":"
            text.appendJSON(warning)
        }
        return text + "}"
    }
}

extension String {
    /// Appends a record's error as an object.
    package mutating func appendJSON(_ error: RecordError) {
        append("{\"stage\":")
        appendJSON(error.stage)
        append(",\"code\":")
        appendJSON(error.code)
        append(",\"message\":")
        appendJSON(error.message)
        append("}")
    }

    /// Appends an object; its box is `[x, y, width, height]` in fractions of the picture from the upper left.
    fileprivate mutating func appendJSON(_ object: RecognizedObject) {
        append("{\"index\":\(object.labels.first?.index ?? 0),\"label\":")
        appendJSON(object.label)
        append(",\"confidence\":")
        appendJSON(object.confidence)
        append(",\"box\":[")
        let box = object.box
        for (position, number) in [box.x, box.y, box.width, box.height].enumerated() {
            if position > 0 { append(",") }
            appendJSON(number)
        }
        append(object.trackID.map { "],\"track\":\($0)}" } ?? "]}")
    }
}
