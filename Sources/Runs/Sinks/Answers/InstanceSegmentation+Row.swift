import Images
import Platform
import Vision

extension InstanceSegmentation: RowAnswer {
    static let content = ImageAnswer.Content.instances

    var pictureSize: ImageSize? { imageSize }
    var summary: String { "\(instances.count) objects" }

    var cocoEntries: [COCOEntry] {
        instances.map {
            COCOEntry(classIndex: $0.label.index, score: $0.confidence, box: $0.box, mask: $0.runs)
        }
    }

    func jsonMembers(_ row: RowContext) -> String {
        let instances = instances.map { $0.jsonText(row.options.maskForm) }.joined(separator: ",")
        return "\(pictureSize.jsonMembers)\"instances\":[\(instances)]" + row.fileMembers("mask", "cutout")
    }

    /// The columns; `number` is that of an object's pixels in the file of masks.
    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [String] {
        ["mask", "number", "index", "label", "confidence", "area", "x", "y", "width", "height"]
    }

    func cells(_ row: RowContext) -> [[String]] {
        let mask = row.fileCell("mask")
        guard !instances.isEmpty else { return [[mask]] }
        return instances.enumerated().map { position, instance in
            [
                mask, String(position + 1), String(instance.label.index), CSVSink.cell(instance.label.label ?? ""),
                instance.confidence.description, String(instance.area),
            ] + instance.box.numbers.map(\.description)
        }
    }

    func tableLines(_ row: RowContext) -> [TableLine] {
        let objects = instances.map {
            RecognizedObject(confidence: $0.confidence, box: $0.box, labels: [$0.label])
        }
        return ObjectDetection(objects, imageSize: imageSize).tableLines(row)
    }
}

extension Instance {
    /// The object with its mask as JSON.
    fileprivate func jsonText(_ form: MaskForm) -> String {
        var text = "{\"index\":\(label.index),\"label\":"
        text.appendJSON(label.label)
        text += ",\"confidence\":"
        text.appendJSON(confidence)
        text += ",\"area\":\(area),\"box\":"
        text.appendJSON(box.numbers)
        text += ","
        text.appendMask(runs, form)
        return text + "}"
    }
}
