import Images
import Platform
import Predicting
import Preparation
import Tensors

extension Segmentation: TaskAnswer {
    package static let kind = "segments"
    package static let forms: AnswerForms = [.cocoResults, .drawing, .items]

    package var pictureSize: ImageSize? { imageSize }

    package var cocoEntries: [COCOEntry] {
        segments.map { COCOEntry(classIndex: $0.index, className: $0.label, score: 1, box: $0.box, mask: $0.runs) }
    }

    package func jsonMembers(_ row: RowContext) -> String {
        let segments = segments.map { $0.jsonText(row.options.maskForm) }.joined(separator: ",")
        return "\(pictureSize.jsonMembers)\"segments\":[\(segments)]" + row.fileMembers("mask", "cutout")
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("mask") + RowColumn.integers("index") + RowColumn.texts("label") + RowColumn.integers("area")
            + RowColumn.ofBox
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        segments.map { segment in
            [row.fileCell("mask"), .integer(segment.index), .text(segment.label), .integer(segment.area)]
                + segment.box.numbers.map { RowCell.number($0) }
        }
    }

    package func cellsOfNothing(_ row: RowContext) -> [RowCell] { [row.fileCell("mask")] }

    /// A line for each class, with its share of the picture.
    package func tableLines(_ row: RowContext) -> [TableLine] {
        guard !segments.isEmpty else { return [.nothing("nothing found")] }
        let count = imageSize.width * imageSize.height
        return segments.map { segment in
            TableLine(
                label: (segment.label ?? "class \(segment.index)").printable,
                text: TableLine.percentage(Float(segment.area) / Float(max(1, count))))
        }
    }

    package var summary: String { "…" }

    package func items(_ options: RowOptions) -> [FoundItem] {
        segments.map { segment in
            let label = ClassificationObservation(index: segment.index, label: segment.label, confidence: .nan)
            return FoundItem(label: label, box: segment.box, mask: segment.runs)
        }
    }

    /// The segments, the largest first, with their shares of the picture in place of the confidence.
    package func shownItems(_ options: RowOptions) -> [FoundItem] {
        let total = Float(max(1, imageSize.width * imageSize.height))
        return items(options).map { item in
            var item = item
            (item.confidence, item.box) = (Float(item.mask?.area ?? 0) / total, nil)
            return item
        }.sorted { $0.confidence ?? 0 > $1.confidence ?? 0 }
    }

    package func namedTensors() -> [(name: String, tensor: Tensor)] {
        [("classes", classes)] + (matte.map { [("matte", $0)] } ?? [])
    }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(self) }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> Segmentation { self }
}

extension Segment {
    /// The segment as JSON; `segmentation` is its mask as COCO writes it, with the height before the width.
    fileprivate func jsonText(_ form: MaskForm) -> String {
        var text = "{\"index\":\(index),\"label\":"
        text.appendJSON(label)
        text += ",\"area\":\(area),\"box\":"
        text.appendJSON(box.numbers)
        text += ","
        text.appendMask(runs, form)
        return text + "}"
    }
}

extension ImageAnswer {
    /// The class of every pixel; nil for answers of another kind.
    public var segments: Segmentation? { self.as(Segmentation.self) }
}

extension ImageAnswer.Content {
    /// The class of every pixel.
    public static let segments = ImageAnswer.Content(Segmentation.self)
}

extension PredictionRecord {
    /// The classes of the picture's pixels, or the reason why there are none.
    public var segmentation: Result<Segmentation, RecordError> { required() }
}
