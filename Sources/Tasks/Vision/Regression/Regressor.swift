import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives the numbers that the network estimates for them.
///
///     let regressor = try await Regressor(Model(contentsOf: "aesthetics.onnx"))
///     print(try await regressor.predict(.file("photo.jpg")).values)
///
/// The numbers are those of one output, as they are. Every method may be called from any task.
public final class Regressor: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The names of the numbers, when known.
    public let labels: Labels?
    /// The name of the output that is read.
    public let outputName: String
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs

    /// Starts a regressor.
    ///
    /// - Parameters:
    ///   - output: The name of the output that is read, or of any value; nil for the first.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the numbers, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, the output has more than one row
    ///   of numbers, or there are not as many labels as numbers; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), output: String? = nil,
        preprocessing: Preprocessing? = nil, labels: Labels? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        let name = output ?? PictureOutputs(model).outputs.first?.name ?? ""
        model = try model.giving(name)
        let input = try ImageInput(model, preprocessing: preprocessing)
        outputs = PictureOutputs(model)
        if let extents = outputs.outputs.first?.extents, extents.count(where: { $0 != 1 }) > 1 {
            throw .usage("\(model.name): output \"\(name.printable)\" is not one row of numbers")
        }
        outputName = name
        self.labels = labels ?? model.labels
        if let count = outputs.outputs.first?.shape?.reduce(1, *) {
            try self.labels?.check(classCount: count, model: model.name, origin: model.origin(of: self.labels))
        }
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }
}

extension Regressor: PictureReader {
    public var core: PredictorCore<Regression> { PredictorCore(self) }

    package var rowShape: [Int]? { outputs.outputs.first?.shape.map { [$0.reduce(1, *)] } }

    package var settings: [String: String] { ["task": VisionTask.regress.rawValue, "output": outputName] }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> Regression {
        let numbers = try outputs.firstNumbers(of: rows).elements(as: Float.self)
        try RecordError.checkFinite(numbers, "numbers")
        return Regression(numbers, labels: labels)
    }
}
