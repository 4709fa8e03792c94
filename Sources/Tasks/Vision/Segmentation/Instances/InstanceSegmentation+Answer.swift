import Images
import Platform
import Predicting
import Preparation
import Tensors

extension InstanceSegmentation: TaskAnswer {
    package static let kind = "instances"
    package static let forms: AnswerForms = [.cocoResults, .regions, .drawing, .items]

    package var pictureSize: ImageSize? { imageSize }
    package var summary: String { "\(instances.count) objects" }

    package var cocoEntries: [COCOEntry] {
        instances.map {
            COCOEntry(
                classIndex: $0.label.index, className: $0.label.label, score: $0.confidence, box: $0.box, mask: $0.runs)
        }
    }

    package func jsonMembers(_ row: RowContext) -> String {
        let instances = instances.map { $0.jsonText(row.options.maskForm) }.joined(separator: ",")
        return "\(pictureSize.jsonMembers)\"instances\":[\(instances)]" + row.fileMembers("mask", "cutout")
    }

    /// The columns; `number` is that of an object's pixels in the file of masks.
    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("mask") + RowColumn.integers("number", "index") + RowColumn.texts("label")
            + RowColumn.numbers("confidence") + RowColumn.integers("area") + RowColumn.ofBox
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        instances.enumerated().map { position, instance in
            [
                row.fileCell("mask"), .integer(position + 1), .integer(instance.label.index),
                .text(instance.label.label), .number(instance.confidence), .integer(instance.area),
            ] + instance.box.numbers.map { RowCell.number($0) }
        }
    }

    package func cellsOfNothing(_ row: RowContext) -> [RowCell] { [row.fileCell("mask")] }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        let objects = instances.map {
            RecognizedObject(confidence: $0.confidence, box: $0.box, labels: [$0.label])
        }
        return ObjectDetection(objects, imageSize: imageSize).tableLines(row)
    }

    package func items(_ options: RowOptions) -> [FoundItem] {
        instances.map { FoundItem(label: $0.label, confidence: $0.confidence, box: $0.box, mask: $0.runs) }
    }

    package func labelStudioRegions(_ options: RowOptions) -> [LabelStudioRegion] {
        instances.flatMap { LabelStudioRegion.polygons($0.runs, label: $0.identifier, score: $0.confidence) }
    }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [] }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(self) }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> InstanceSegmentation { self }
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

extension ImageAnswer {
    /// The objects in the picture, with their pixels; nil for answers of another kind.
    public var instances: InstanceSegmentation? { self.as(InstanceSegmentation.self) }
}

extension ImageAnswer.Content {
    /// The objects in the picture, with their pixels.
    public static let instances = ImageAnswer.Content(InstanceSegmentation.self)
}

extension PredictionRecord {
    /// The objects in the picture with their pixels, or the reason why there are none.
    public var instances: Result<InstanceSegmentation, RecordError> { required() }
}
