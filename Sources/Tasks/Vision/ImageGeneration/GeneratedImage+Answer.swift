import Images
import Platform
import Predicting
import Preparation
import Tensors

extension GeneratedImage: TaskAnswer {
    package static let kind = "image"
    package static let forms: AnswerForms = []

    package var summary: String { "a picture of \(size)" }

    package func jsonMembers(_ row: RowContext) -> String {
        "\"image\":{\"width\":\(size.width),\"height\":\(size.height),\"channels\":\(channelCount)}"
            + row.fileMembers("file")
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("width", "height", "channels") + RowColumn.texts("file")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        [[size.width, size.height, channelCount].map { RowCell.integer($0) } + [row.fileCell("file")]]
    }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        [TableLine(text: summary + (row.files["file"].map { "  " + $0.printable } ?? ""))]
    }

    package var pictureSize: ImageSize? { nil }

    package func items(_ options: RowOptions) -> [FoundItem] { [] }

    package func namedTensors() throws(TensorError) -> [(name: String, tensor: Tensor)] {
        [("image", try Tensor(pixels, shape: [size.height, size.width, channelCount]))]
    }

    package func drawing(on image: Image) -> Image? { nil }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> GeneratedImage { self }
}

extension ImageAnswer {
    /// The picture that was made of the picture; nil for answers of another kind.
    public var image: GeneratedImage? { self.as(GeneratedImage.self) }
}

extension ImageAnswer.Content {
    /// The picture that was made of the picture.
    public static let image = ImageAnswer.Content(GeneratedImage.self)
}

extension PredictionRecord {
    /// The picture that was made, or the reason why there is none.
    public var generatedImage: Result<GeneratedImage, RecordError> { required() }
}
