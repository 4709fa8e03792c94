import Platform
import Preparation

extension PredictionRecord where Answer == ImageAnswer {
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
    package func jsonText(_ options: RowOptions) -> String {
        var text = "{\"id\":"
        text.appendJSON(id)
        if let timestamp { text += ",\"time\":\(timestamp.secondsText)" }
        switch answer {
        case .success(let answer): text += ",\(answer.base.jsonMembers(RowContext(self, options))),\"error\":null"
        case .failure(let error):
            text += ",\"\(options.content.type.key)\":null,\"error\":"
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
    /// Appends numbers as a list.
    package mutating func appendJSON(_ numbers: [Float]) {
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
}

extension [Int] {
    /// The numbers as a list of JSON.
    package var jsonText: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
