extension String {
    /// Appends a JSON string with its quotation marks.
    package mutating func appendJSON(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case _ where scalar.steersTerminal: append(scalar.escapedAsJSON)
            default: unicodeScalars.append(scalar)
            }
        }
        append("\"")
    }

    /// A JSON document in which what steers a terminal is escaped; outside of strings JSON has nothing of the kind but
    /// line breaks.
    package var withEscapedControls: String {
        guard unicodeScalars.contains(where: { $0.steersTerminal && $0 != "\n" }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.steersTerminal, scalar != "\n" {
                text += scalar.escapedAsJSON
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Appends a JSON string, or null.
    package mutating func appendJSON(_ text: String?) {
        if let text { appendJSON(text) } else { append("null") }
    }

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

    /// Appends a number with the fewest digits that read back as the same one; null when JSON has no word for it.
    package mutating func appendJSON(_ number: Float) {
        append(number.isFinite ? number.description : "null")
    }
}

extension Unicode.Scalar {
    /// The scalar as JSON escapes it: in UTF-16, with four digits for each unit.
    fileprivate var escapedAsJSON: String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }.joined()
    }
}

extension Duration {
    /// Seconds, to the microsecond.
    package var secondsText: String { ((self / .microseconds(1)).rounded() / 1e6).description }
}

extension PredictionRecord {
    /// The record as a JSON object on one line:
    /// `{"id":"a.jpg","predictions":[{"index":967,"label":"espresso","confidence":0.99938}],"error":null}`, or with objects
    /// `{"id":"a.jpg","width":640,"height":480,"objects":[{"index":0,"label":"cat","confidence":0.9,"box":[0.1,0.2,0.3,0.4]}],`
    /// `"error":null}`. A frame of a video has `"time"`, in seconds, behind its id.
    package func jsonText(_ options: RowOptions) -> String {
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
            text += "],\"error\":null}"
        case .success(.objects(let detection)):
            if let size = detection.imageSize { text += ",\"width\":\(size.width),\"height\":\(size.height)" }
            text += ",\"objects\":["
            for (position, object) in detection.objects.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(object)
            }
            text += "],\"error\":null}"
        case .failure(let error):
            text += options.content == .objects ? ",\"objects\":null,\"error\":" : ",\"predictions\":null,\"error\":"
            text.appendJSON(error)
            text += "}"
        }
        return text
    }
}

extension String {
    /// Appends an object; its box is `[x, y, width, height]` in parts of the picture, from the upper left.
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
