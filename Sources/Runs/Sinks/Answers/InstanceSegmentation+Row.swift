import Images
import Platform
import Vision

extension InstanceSegmentation: RowAnswer {
    static let content = ImageAnswer.Content.instances

    var pictureSize: ImageSize? { imageSize }
    var summary: String { "\(instances.count) objects" }

    var cocoEntries: [COCOEntry] {
        instances.map {
            COCOEntry(
                classIndex: $0.label.index, className: $0.label.label, score: $0.confidence, box: $0.box, mask: $0.runs)
        }
    }

    func jsonMembers(_ row: RowContext) -> String {
        let instances = instances.map { $0.jsonText(row.options.maskForm) }.joined(separator: ",")
        return "\(pictureSize.jsonMembers)\"instances\":[\(instances)]" + row.fileMembers("mask", "cutout")
    }

    /// The columns; `number` is that of an object's pixels in the file of masks.
    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("mask") + RowColumn.integers("number", "index") + RowColumn.texts("label")
            + RowColumn.numbers("confidence") + RowColumn.integers("area") + RowColumn.ofBox
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        instances.enumerated().map { position, instance in
            [
                row.fileCell("mask"), .integer(position + 1), .integer(instance.label.index),
                .text(instance.label.label), .number(instance.confidence), .integer(instance.area),
            ] + instance.box.numbers.map { RowCell.number($0) }
        }
    }

    func cellsOfNothing(_ row: RowContext) -> [RowCell] { [row.fileCell("mask")] }

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
