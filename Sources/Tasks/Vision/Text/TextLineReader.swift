import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that reads pictures of one line of text.
///
///     let reader = try await TextLineReader(Model(contentsOf: "text_recognition.onnx"))
///     print(try await reader.predict(.file("line.png")).string)
///
/// The network gives scores of characters at each place of the line, from which the text is read by CTC. The characters
/// stand in the metadata of the model, or are given. A picture's bits do not depend on those that run with it: each has
/// the width that follows from its own. Every method may be called from any task.
public final class TextLineReader: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    private let decoder: SequenceDecoder

    /// The height of pictures, and the least width, where the network leaves them open: those of PP-OCRv3 and v4.
    ///
    /// Source: `rec_img_shape` of https://github.com/RapidAI/RapidOCR
    private static let customarySize = ImageSize(width: 320, height: 48)

    /// Starts a reader.
    ///
    /// - Parameters:
    ///   - characters: The characters in the order of the scores; nil for those that the model names.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, gives no scores at places of a
    ///   line, or has another number of them than there are characters; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), characters: Labels? = nil,
        preprocessing: Preprocessing? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        var steps = preprocessing ?? model.preprocessing
        if steps == nil { steps = try Self.customaryPreprocessing(of: model) }
        let input = try ImageInput(model, preprocessing: steps)
        let all = PictureOutputs(model).outputs
        guard let output = all.first(where: { [2, 3].contains($0.extents?.count) }) else {
            throw .usage("\(model.name): no output has scores of characters at the places of a line")
        }
        model = try model.giving(output.name)
        outputs = PictureOutputs(model, pictureSize: input.size ?? Self.customarySize)
        guard let names = try Self.characters(of: model, given: characters) else {
            throw .usage(
                "\(model.name): nothing names the characters that it reads; --labels takes a file with one on each line"
            )
        }
        let count = output.extents?.last ?? nil
        let set = try CharacterSet(names, count: count, model: model.name)
        decoder = SequenceDecoder(set, Self.scale(of: model))
        var decoding = decoding
        decoding.putsOnGround = true
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    private static func characters(of model: Model, given: Labels?) throws(ApusError) -> [String]? {
        guard let labels = given else {
            return CharacterSet.named(in: model.source.metadata) ?? model.labels?.list
        }
        return labels.list
    }

    private static func scale(of model: Model) -> SequenceDecoder.Scale {
        guard let output = model.graph.outputs.first else { return .logits }
        if model.graph.ends(in: ["Softmax", "IntegerSoftmax"], at: output) { return .probabilities }
        return model.graph.ends(in: ["LogSoftmax"], at: output) ? .logarithms : .logits
    }

    /// The steps of PaddleOCR: blue, green and red from −1 to 1 at the height of the network, with zeros at the right.
    ///
    /// Source: `TextRecognizer.resize_norm_img` of https://github.com/RapidAI/RapidOCR
    package static func customaryPreprocessing(of model: Model) throws(ApusError) -> Preprocessing {
        let plain = try ImageInput(model, preprocessing: nil)
        var line = Preprocessing.Line(height: customarySize.height, minimumWidth: customarySize.width)
        if let size = plain.size {
            line = Preprocessing.Line(height: size.height, minimumWidth: size.width, maximumWidth: size.width)
        } else if case .line(let fixed) = plain.preprocessing.resizing {
            line.height = fixed.height
        }
        return .paddleOCR(plain, .line(line))
    }
}

extension TextLineReader: TextPredictor {
    public var core: PredictorCore<RecognizedText> { PredictorCore(self) }

    package var settings: [String: String] {
        ["task": VisionTask.text.rawValue, "characters": decoder.characters.fingerprint]
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> RecognizedText {
        let numbers = try outputs.firstNumbers(of: rows)
        let count = numbers.shape.last ?? 0
        // The places may lie behind or before the axis of the batch.
        guard numbers.shape.dropLast().count(where: { $0 != 1 }) <= 1, count == decoder.characters.count else {
            throw RecordError(
                stage: "predict", code: "shape",
                message:
                    "the output has \(numbers.shape), not \(decoder.characters.count) scores at each place of a line")
        }
        let (text, confidence) = decoder.text(
            of: try numbers.finiteElements(allowsNone: decoder.scale == .logarithms), count: count)
        let size = picture.size ?? pictures.input.extent(of: picture.tensor)
        let line = RecognizedTextLine(text: text, confidence: confidence, box: Quadrilateral(wholeOf: size))
        return RecognizedText([line], imageSize: picture.size)
    }
}

extension Labels {
    /// The names in order; nil when an index has none.
    fileprivate var list: [String]? {
        let list = (0..<count).compactMap { self[$0] }
        return list.count == count ? list : nil
    }
}
