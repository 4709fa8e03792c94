import Images
import Platform
import Predicting
import Preparation
import Tensors

extension DepthMap: TaskAnswer {
    package static let kind = "depth"
    package static let forms: AnswerForms = [.drawing]

    package var pictureSize: ImageSize? { imageSize }
    package var summary: String { "depth \(minimum) to \(maximum)" }

    package func jsonMembers(_ row: RowContext) -> String {
        var text = "\(pictureSize.jsonMembers)\"depth\":{\"minimum\":"
        text.appendJSON(minimum)
        text += ",\"maximum\":"
        text.appendJSON(maximum)
        text += ",\"median\":"
        text.appendJSON(median)
        text += ",\"range\":"
        text.appendJSON([range.lowerBound, range.upperBound])
        return text + "}" + row.fileMembers("npy", "png")
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.ofSize + RowColumn.numbers("minimum", "maximum", "median", "range_minimum", "range_maximum")
            + RowColumn.texts("npy", "png")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        let size = [imageSize.width, imageSize.height].map { RowCell.integer($0) }
        let figures = [minimum, maximum, median, range.lowerBound, range.upperBound].map { RowCell.number($0) }
        return [size + figures + [row.fileCell("npy"), row.fileCell("png")]]
    }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        [TableLine(text: "depth \(minimum) to \(maximum), median \(median)")]
    }

    package func items(_ options: RowOptions) -> [FoundItem] { [] }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [("depth", values)] }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try drawing() }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> DepthMap { self }
}

extension ImageAnswer {
    /// The depth of each pixel; nil for answers of another kind.
    public var depth: DepthMap? { self.as(DepthMap.self) }
}

extension ImageAnswer.Content {
    /// The depth of each pixel.
    public static let depth = ImageAnswer.Content(DepthMap.self)
}

extension PredictionRecord {
    /// The depth of the picture's pixels, or the reason why there is none.
    public var depth: Result<DepthMap, RecordError> { required() }
}
