import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and estimates the depth of every pixel: its distance, as a number.
///
///     let estimator = try await DepthEstimator(Model(contentsOf: "depth_anything_small.onnx"))
///     let depth = try await estimator.predict(.file("street.jpg"))
///     print(depth.minimum, depth.median, depth.maximum, depth.values.shape)
///
/// The map is brought to the size of the picture by bicubic interpolation with `align_corners=False`, as DPT, Depth
/// Anything and GLPN in Hugging Face's transformers and MiDaS do. Every method may be called from any task.
public final class DepthEstimator: Sendable {
    /// The options of an estimator.
    public struct Options: Sendable {
        /// The output that is read; nil for the first with one map.
        public var output: String?
        /// The numbers that are 0 and 65,535 in files of 16 bits; nil for the least and the largest of each picture.
        public var range: ClosedRange<Float>?

        /// Makes options.
        public init(output: String? = nil, range: ClosedRange<Float>? = nil) {
            (self.output, self.range) = (output, range)
        }
    }

    /// The session that runs the network.
    public let session: Session
    /// The options.
    public let options: Options
    /// The name of the output that is read.
    public let outputName: String
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs

    /// Starts an estimator.
    ///
    /// - Parameters:
    ///   - depth: The output to read, and the range of files of 16 bits.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no output is one map; otherwise
    ///   as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), depth: Options = Options(),
        preprocessing: Preprocessing? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        let customary = try Segmenter.customaryPreprocessing(of: model)
        let input = try ImageInput(model, preprocessing: preprocessing ?? customary)
        guard let name = depth.output ?? Self.output(of: model, input.layout) else {
            throw .usage("\(model.name): no output is one map; --task raw gives the outputs as they are")
        }
        model = try model.giving(name)
        outputs = PictureOutputs(model)
        if let extents = outputs.outputs.first?.extents, Self.map(extents, input.layout) == nil {
            throw .usage("\(model.name): output \"\(name.printable)\" is not one map")
        }
        self.options = depth
        outputName = name
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The first output that is one map, one whose name says depth before others.
    package static func output(of model: Model, _ layout: Preprocessing.Layout) -> String? {
        let maps = PictureOutputs(model).outputs.filter { output in
            output.extents.map { map($0, layout) != nil } ?? false
        }
        return (maps.first { $0.name.lowercased().contains("depth") } ?? maps.first)?.name
    }

    /// The height and width of one map; nil for other extents.
    private static func map(_ extents: [Int?], _ layout: Preprocessing.Layout) -> (height: Int?, width: Int?)? {
        switch extents.count {
        case 2: (extents[0], extents[1])
        case 3 where layout == .channelsLast && extents[2] == 1: (extents[0], extents[1])
        case 3 where extents[0] == 1: (extents[1], extents[2])
        default: nil
        }
    }
}

extension DepthEstimator: PictureReader {
    public var core: PredictorCore<DepthMap> { PredictorCore(self) }

    package var labels: Labels? { nil }
    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        let range = options.range.map { "\($0.lowerBound) to \($0.upperBound)" }
        return ["task": VisionTask.depth.rawValue, "output": outputName, "range": range ?? "of each picture"]
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> DepthMap {
        let numbers = try outputs.firstNumbers(of: rows)
        guard case (let height?, let width?)? = Self.map(numbers.shape, pictures.input.layout), height > 0, width > 0
        else {
            throw RecordError(
                stage: "predict", code: "shape", message: "the output is not one map, but \(numbers.shape)")
        }
        let size = picture.size ?? pictures.input.extent(of: picture.tensor)
        let map = try Self.resized(
            try numbers.finiteElements(), ImageSize(width: width, height: height), to: size, picture.placement)
        // The figures need the numbers once more.
        try MemoryBudget.process.reserve(map.byteCount)
        defer { MemoryBudget.process.release(map.byteCount) }
        guard let depth = DepthMap(imageSize: size, values: map, range: options.range) else {
            throw RecordError(stage: "predict", code: "not-finite", message: "no number of the map is finite")
        }
        return depth
    }

    /// The map at the picture's size; NaN where the network did not see the picture.
    private static func resized(
        _ numbers: [Float], _ extent: ImageSize, to size: ImageSize, _ placement: ImagePlacement
    ) throws -> Tensor {
        let x = CubicSampling(count: size.width, extent: extent.width) { placement.place(x: $0, y: 0).x }
        let y = CubicSampling(count: size.height, extent: extent.height) { placement.place(x: 0, y: $0).y }
        let claimed = try Shape.byteCount([size.width, extent.height], .float32)
        try MemoryBudget.process.reserve(claimed)
        defer { MemoryBudget.process.release(claimed) }
        var across = [Float](repeating: .nan, count: size.width * extent.height)
        for row in 0..<extent.height {
            for column in x.seen {
                across[row * size.width + column] = x.sum(column) { numbers[row * extent.width + $0] }
            }
        }
        return try Tensor(.float32, shape: [size.height, size.width]) { bytes in
            let result = bytes.bindMemory(to: Float.self)
            result.update(repeating: .nan)
            for row in y.seen {
                for column in x.seen {
                    result[row * size.width + column] = y.sum(row) { across[$0 * size.width + column] }
                }
            }
        }
    }
}
