import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives the outputs of any network as they are.
///
///     let reader = try await OutputReader(Model(contentsOf: "iris_landmark.tflite"))
///     for output in try await reader.predict(.file("eye.png")).outputs { print(output.name, output.tensor.shape) }
///
/// Integers of quantized networks stay integers. Every method may be called from any task.
public final class OutputReader: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    private let chosen: String?

    /// Starts a reader.
    ///
    /// - Parameters:
    ///   - output: The name of the only value to give, an output or the result of any node; nil for all outputs.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture or has no such value; otherwise as
    ///   ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), output: String? = nil,
        preprocessing: Preprocessing? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        if let output { model = try model.giving(output) }
        let input = try ImageInput(model, preprocessing: preprocessing)
        chosen = output
        outputs = PictureOutputs(model)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }
}

extension OutputReader: PictureReader {
    public var core: PredictorCore<NetworkOutputs> { PredictorCore(self) }

    package var labels: Labels? { nil }
    package var settings: [String: String] { ["task": VisionTask.raw.rawValue, "output": chosen ?? "all"] }
    package var rowShape: [Int]? { outputs.outputs.count == 1 ? outputs.outputs[0].shape : nil }
    package var rowElementType: ElementType { outputs.outputs.first?.elementType ?? .float32 }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) -> NetworkOutputs {
        NetworkOutputs(zip(outputs.outputs, rows).map { NetworkOutputs.Output(name: $0.name, tensor: $1) })
    }
}
