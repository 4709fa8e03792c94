import Images
import Platform
import Vision

extension PredictionRecord {
    /// The record as a JSON object on one line, with the answer of its task:
    ///
    ///     {"id":"a.jpg","predictions":[{"index":967,"label":"espresso","confidence":0.99938}],"error":null}
    ///     {"id":"a.jpg","width":640,"height":480,
    ///      "objects":[{"index":0,"label":"cat","confidence":0.9,"box":[0.1,0.2,0.3,0.4]}],"error":null}
    ///     {"id":"a.jpg","width":4,"height":2,"segments":[{"index":1,"label":"cat","area":3,"box":[0,0,0.5,1],
    ///      "segmentation":{"size":[2,4],"counts":"035"}}],"mask":"a.jpg.png","error":null}
    ///     {"id":"a.jpg","width":4,"height":2,"instances":[{"index":0,"label":"cat","confidence":0.9,"area":3,
    ///      "box":[0,0,0.5,1],"segmentation":{"size":[2,4],"counts":"035"}}],"mask":"a.jpg.png","error":null}
    ///     {"id":"a.jpg","width":640,"height":480,"poses":[{"confidence":0.9,"index":0,"label":"person",
    ///      "box":[0.1,0.2,0.3,0.4],"keypoints":[{"name":"nose","x":0.2,"y":0.3,"confidence":0.8}]}],"error":null}
    ///     {"id":"a.jpg","width":192,"height":192,"landmarks":{"confidence":0.99,
    ///      "points":[{"x":0.5,"y":0.6,"z":-0.1}]},"error":null}
    ///     {"id":"a.jpg","embedding":[0.6,0.8],"error":null}
    ///     {"id":"a.jpg","width":4,"height":2,"depth":{"minimum":0.5,"maximum":9,"median":2.25,"range":[0.5,9]},
    ///      "npy":"a.jpg.npy","png":"a.jpg.png","error":null}
    ///     {"id":"a.jpg","image":{"width":8,"height":4,"channels":3},"file":"a.jpg.png","error":null}
    ///     {"id":"a.jpg","width":640,"height":480,"text":"Some text","lines":[{"text":"Some text","confidence":0.97,
    ///      "box":[[10,5],[200,5],[200,30],[10,30]],"direction":{"degrees":0,"confidence":0.99}}],"error":null}
    ///     {"id":"a.jpg","width":640,"height":480,"objects":[{"index":0,"label":"face","confidence":0.9,
    ///      "box":[0.1,0.2,0.3,0.4],"answers":{"identity":{"embedding":[0.6,0.8]}}}],"error":null}
    ///     {"id":"a.jpg","outputs":[{"name":"eyes","type":"float32","shape":[2],"values":[0.5,0.25]}],"error":null}
    ///
    /// Corners of lines are in pixels, clockwise from the upper left. An output of more than 4,096 numbers has null for
    /// its values; ``NumPySink`` writes them.
    ///
    /// A frame of a video has `"time"`, in seconds, after its id. A picture whose file is damaged, although all pixels
    /// could be decoded, has `"warning"` after its error.
    package func jsonText(_ options: SinkKind.RowOptions) -> String {
        var text = "{\"id\":"
        text.appendJSON(id)
        if let timestamp { text += ",\"time\":\(timestamp.secondsText)" }
        text += jsonText(answer, options)
        if let warning {
            text += ",\"warning\":"
            text.appendJSON(warning)
        }
        return text + "}"
    }

    /// The members of an answer or an error, each with a comma before it.
    private func jsonText(_ answer: Result<ImageAnswer, RecordError>, _ options: SinkKind.RowOptions) -> String {
        var text = ""
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
            text.appendSize(detection.imageSize)
            text += ",\"objects\":["
            for (position, object) in detection.objects.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(object)
            }
            text += "]"
            text.appendFile("yolo", files)
            text.appendFile("voc", files)
            text += ",\"error\":null"
        case .success(.segments(let segmentation)):
            text.appendSize(segmentation.imageSize)
            text += ",\"segments\":["
            for (position, segment) in segmentation.segments.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(segment, options.maskForm)
            }
            text += "]"
            for key in ["mask", "cutout"] { text.appendFile(key, files) }
            text += ",\"error\":null"
        case .success(.instances(let segmentation)):
            text.appendSize(segmentation.imageSize)
            text += ",\"instances\":["
            for (position, instance) in segmentation.instances.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(instance, options.maskForm)
            }
            text += "]"
            for key in ["mask", "cutout"] { text.appendFile(key, files) }
            text += ",\"error\":null"
        case .success(.poses(let estimation)):
            text.appendSize(estimation.imageSize)
            text += ",\"poses\":["
            for (position, pose) in estimation.poses.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(pose)
            }
            text += "],\"error\":null"
        case .success(.landmarks(let landmarks)):
            text.appendSize(landmarks.imageSize)
            text += ",\"landmarks\":{\"confidence\":"
            text.appendJSON(landmarks.confidence)
            text += ",\"points\":"
            text.appendJSON(landmarks.points)
            text += "},\"error\":null"
        case .success(.embedding(let embedding)):
            text += ",\"embedding\":"
            text.appendJSON(embedding.vector)
            text += ",\"error\":null"
        case .success(.depth(let depth)):
            text += ",\"width\":\(depth.imageSize.width),\"height\":\(depth.imageSize.height),\"depth\":{"
            text += "\"minimum\":"
            text.appendJSON(depth.minimum)
            text += ",\"maximum\":"
            text.appendJSON(depth.maximum)
            text += ",\"median\":"
            text.appendJSON(depth.median)
            text += ",\"range\":"
            text.appendJSON([depth.range.lowerBound, depth.range.upperBound])
            text += "}"
            for key in ["npy", "png"] { text.appendFile(key, files) }
            text += ",\"error\":null"
        case .success(.image(let image)):
            text += ",\"image\":{\"width\":\(image.size.width),\"height\":\(image.size.height)"
            text += ",\"channels\":\(image.channelCount)}"
            text.appendFile("file", files)
            text += ",\"error\":null"
        case .success(.text(let answer)):
            if let size = answer.imageSize { text += ",\"width\":\(size.width),\"height\":\(size.height)" }
            text += ",\"text\":"
            text.appendJSON(answer.string)
            text += ",\"lines\":["
            for (position, line) in answer.lines.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(line)
            }
            text += "],\"error\":null"
        case .success(.parts(let answer)):
            if let size = answer.imageSize { text += ",\"width\":\(size.width),\"height\":\(size.height)" }
            let parts = answer.parts.map { jsonText($0, options) }
            text += ",\"objects\":[\(parts.joined(separator: ","))],\"error\":null"
        case .success(.outputs(let outputs)):
            text += ",\"outputs\":["
            for (position, output) in outputs.outputs.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON(output)
            }
            text += "]"
            text.appendFile("arrays", files)
            text += ",\"error\":null"
        case .failure(let error):
            text += ",\"\(options.content.key)\":null,\"error\":"
            text.appendJSON(error)
        }
        return text
    }

    /// An answer alone as an object of JSON.
    func jsonObject(_ answer: ImageAnswer, _ options: SinkKind.RowOptions) -> String {
        let end = ",\"error\":null"
        return "{" + jsonText(.success(answer), options).dropFirst().dropLast(end.count) + "}"
    }

    /// An object, and what the other stages of a recipe say about it, as an object of JSON.
    private func jsonText(_ part: PicturePart, _ options: SinkKind.RowOptions) -> String {
        var text = ""
        text.appendJSON(part.object)
        text.removeLast()
        text += ",\"answers\":{"
        for (position, answer) in part.answers.enumerated() {
            if position > 0 { text += "," }
            text.appendJSON(answer.stage)
            text += ":" + jsonObject(answer.answer, options)
        }
        return text + "}}"
    }
}

extension ImageAnswer.Content {
    /// The key of an answer in a row of JSON.
    fileprivate var key: String {
        switch self {
        case .classes: "predictions"
        case .objects: "objects"
        case .segments: "segments"
        case .instances: "instances"
        case .poses: "poses"
        case .landmarks: "landmarks"
        case .embeddings: "embedding"
        case .depth: "depth"
        case .image: "image"
        case .text: "lines"
        case .parts: "objects"
        case .outputs: "outputs"
        }
    }
}

extension NetworkOutputs.Output {
    /// The numbers of an output that has few enough for a row of text; nil for others.
    var writtenNumbers: [Float]? {
        tensor.elementCount <= 4096 ? tensor.elements(as: Float.self) : nil
    }
}

extension String {
    /// Appends an output of a network as an object.
    fileprivate mutating func appendJSON(_ output: NetworkOutputs.Output) {
        append("{\"name\":")
        appendJSON(output.name)
        append(",\"type\":\"\(output.tensor.elementType)\",\"shape\":\(output.tensor.shape.jsonText),\"values\":")
        if let numbers = output.writtenNumbers { appendJSON(numbers) } else { append("null") }
        append("}")
    }

    /// Appends the size of a picture, if it is known.
    fileprivate mutating func appendSize(_ size: ImageSize?) {
        if let size { append(",\"width\":\(size.width),\"height\":\(size.height)") }
    }

    /// Appends a person or a hand as an object.
    fileprivate mutating func appendJSON(_ pose: Pose) {
        append("{\"confidence\":")
        appendJSON(pose.confidence)
        if let label = pose.label {
            append(",\"index\":\(label.index),\"label\":")
            appendJSON(label.label)
        }
        if let box = pose.box {
            append(",\"box\":")
            appendJSON([box.x, box.y, box.width, box.height])
        }
        append(",\"keypoints\":")
        appendJSON(pose.keypoints)
        append("}")
    }

    /// Appends points as a list of objects, with what is known of each.
    fileprivate mutating func appendJSON(_ points: [Keypoint]) {
        append("[")
        for (position, point) in points.enumerated() {
            append(position > 0 ? ",{" : "{")
            if let name = point.name {
                append("\"name\":")
                appendJSON(name)
                append(",")
            }
            append("\"x\":")
            appendJSON(point.x)
            append(",\"y\":")
            appendJSON(point.y)
            if let z = point.z {
                append(",\"z\":")
                appendJSON(z)
            }
            if let confidence = point.confidence {
                append(",\"confidence\":")
                appendJSON(confidence)
            }
            append("}")
        }
        append("]")
    }

    /// Appends a number, or null for none.
    fileprivate mutating func appendJSON(_ number: Float?) {
        if let number { appendJSON(number) } else { append("null") }
    }

    /// Appends the path of a file that was written for a record, if there is one.
    fileprivate mutating func appendFile(_ key: String, _ files: [String: String]) {
        guard let path = files[key] else { return }
        append(",\"\(key)\":")
        appendJSON(path)
    }

    /// Appends a segment; `segmentation` is its mask as COCO writes it, with the height before the width.
    fileprivate mutating func appendJSON(_ segment: Segment, _ form: MaskForm) {
        append("{\"index\":\(segment.index),\"label\":")
        appendJSON(segment.label)
        append(",\"area\":\(segment.area),\"box\":")
        let box = segment.box
        appendJSON([box.x, box.y, box.width, box.height])
        append(",")
        appendMask(segment.runs, form)
        append("}")
    }

    /// Appends an object with its mask.
    fileprivate mutating func appendJSON(_ instance: Instance, _ form: MaskForm) {
        append("{\"index\":\(instance.label.index),\"label\":")
        appendJSON(instance.label.label)
        append(",\"confidence\":")
        appendJSON(instance.confidence)
        append(",\"area\":\(instance.area),\"box\":")
        let box = instance.box
        appendJSON([box.x, box.y, box.width, box.height])
        append(",")
        appendMask(instance.runs, form)
        append("}")
    }

    /// Appends a line of text.
    fileprivate mutating func appendJSON(_ line: RecognizedTextLine) {
        append("{\"text\":")
        appendJSON(line.text)
        append(",\"confidence\":")
        appendJSON(line.confidence)
        append(",\"box\":[")
        for (position, corner) in line.box.corners.enumerated() {
            if position > 0 { append(",") }
            appendJSON([Float(corner.x), Float(corner.y)])
        }
        append("]")
        if let direction = line.direction {
            append(",\"direction\":{\"degrees\":\(direction.degrees),\"confidence\":")
            appendJSON(direction.confidence)
            append("}")
        }
        append("}")
    }

    /// Appends numbers as a list.
    mutating func appendJSON(_ numbers: [Float]) {
        append("[")
        for (position, number) in numbers.enumerated() {
            if position > 0 { append(",") }
            appendJSON(number)
        }
        append("]")
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
        append("]")
        appendCorners(object.corners)
        if let track = object.trackID { append(",\"track\":\(track)") }
        if !object.points.isEmpty {
            append(",\"points\":[")
            for (position, point) in object.points.enumerated() {
                if position > 0 { append(",") }
                appendJSON([point.x, point.y])
            }
            append("]")
        }
        append("}")
    }
}

extension [Int] {
    /// The numbers as a list of JSON.
    var jsonText: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
