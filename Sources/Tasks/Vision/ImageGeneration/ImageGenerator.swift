import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives pictures: of a higher resolution, in another style, without noise, or
/// mattes.
///
///     let generator = try await ImageGenerator(Model(contentsOf: "espcn_x3.onnx"))
///     let image = try await generator.predict(.file("small.png")).image()
///
/// Pictures keep their size, unless a file or an option says otherwise. Where the network takes one size, or a tile
/// size is given, pictures are cut into tiles that overlap; each tile is kept up to the middle of what it shares with
/// the next. That gives the whole picture's result where a pixel of the output depends on no more than half the overlap
/// on each side; networks that look at whole pictures, such as those with InstanceNormalization, see each tile alone.
///
/// Every method may be called from any task.
public final class ImageGenerator: Sendable {
    /// The options of a generator.
    public struct Options: Sendable {
        /// The output that is read; nil for the first that is a picture.
        public var output: String?
        /// What the numbers of the output mean; nil for what the network's last operator and the preprocessing tell.
        public var range: PixelRange?
        /// The width and height of tiles; nil for the network's size, or whole pictures where it fixes none.
        public var tile: Int?
        /// The number of pixels that neighbouring tiles share, at least; nil for 32, or half a tile where that is less.
        public var overlap: Int?
        /// Pictures are mirrored at the right and the bottom up to a multiple of it, which the output loses again.
        public var multiple: Int

        /// Makes options.
        public init(
            output: String? = nil, range: PixelRange? = nil, tile: Int? = nil, overlap: Int? = nil, multiple: Int = 1
        ) {
            (self.output, self.range, self.tile) = (output, range, tile)
            (self.overlap, self.multiple) = (overlap, multiple)
        }
    }

    /// The session that runs the network.
    public let session: Session
    /// The options.
    public let options: Options
    /// The name of the output that is read.
    public let outputName: String
    /// What the numbers of the output mean.
    public let range: PixelRange
    /// The steps from picture to input.
    public let preprocessing: Preprocessing

    package let pictures: PicturePreparation
    /// The steps from pixels to numbers.
    let counting: Preprocessing
    /// The width and height of tiles; nil for whole pictures.
    package let tile: ImageSize?
    /// The number of pixels that neighboring tiles share.
    let overlap: Int
    /// Whether the network takes tiles of one size alone.
    let isOfOneSize: Bool
    private let quantization: Quantization?

    /// Starts a generator.
    ///
    /// - Parameters:
    ///   - image: The output to read, what its numbers mean, and the tiles.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, no output is a picture, or tiles
    ///   are smaller than what they share; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), image: Options = Options(),
        preprocessing: Preprocessing? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        let steps = if let preprocessing { preprocessing } else { try Self.customaryPreprocessing(of: model) }
        var input = try ImageInput(model, preprocessing: steps)
        guard steps.padding == nil else {
            throw .usage("\(model.name): --task image takes no preprocessing with zeros around pictures")
        }
        guard let name = image.output ?? Self.output(of: model, input.layout) else {
            throw .usage("\(model.name): no output is a picture of 1, 3 or 4 channels")
        }
        let networkSize = try model.guessedInput().size
        model = try model.giving(name)
        let tile = networkSize ?? image.tile.map { ImageSize(width: $0, height: $0) }
        let overlap = image.overlap ?? min(32, (tile.map { min($0.width, $0.height) } ?? 64) / 2)
        try Self.check(image, overlap, networkSize, tile, model.name)
        (self.overlap, isOfOneSize) = (overlap, networkSize != nil)
        input.placing = steps
        self.options = image
        self.preprocessing = steps
        self.tile = tile
        counting = steps.parts.counting
        outputName = name
        range = image.range ?? PixelRange.range(of: model, at: name).range
        quantization = model.graph.value(named: name).flatMap { model.graph[$0].quantization }
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    private static func check(
        _ options: Options, _ overlap: Int, _ networkSize: ImageSize?, _ tile: ImageSize?, _ name: String
    ) throws(ApusError) {
        guard overlap >= 0, options.multiple >= 1, options.multiple <= Preprocessing.maximumEdge,
            options.tile ?? 1 >= 1
        else { throw .usage("\(name): a tile, an overlap or a multiple is negative or too large") }
        if let networkSize, let given = options.tile, networkSize != ImageSize(width: given, height: given) {
            throw .usage("\(name): the network takes \(networkSize) alone, so that tiles cannot be \(given)x\(given)")
        }
        guard let tile else { return }
        let edge = min(tile.width, tile.height)
        guard overlap < edge else {
            throw .usage("\(name): tiles of \(tile) cannot share \(overlap) pixels")
        }
        guard tile.width % options.multiple == 0, tile.height % options.multiple == 0,
            edge - overlap >= options.multiple
        else { throw .usage("\(name): tiles of \(tile) do not fit multiples of \(options.multiple)") }
    }

    /// The steps that a file or the model's metadata give; those that its format assumes, without resizing and
    /// cropping; or numbers from 0 to 1 of the picture as it is.
    package static func customaryPreprocessing(of model: Model) throws(ApusError) -> Preprocessing {
        var steps = if let steps = model.preprocessing { steps } else { try model.guessedInput().preprocessing }
        if model.preprocessing == nil || model.origins.preprocessing == .model {
            (steps.resizing, steps.crop) = (.none, nil)
        }
        return steps
    }

    /// The first output that is a picture, of 1, 3 or 4 channels.
    package static func output(of model: Model, _ layout: Preprocessing.Layout) -> String? {
        PictureOutputs(model).outputs.first { output in
            guard let extents = output.extents, extents.count == 3 else { return output.extents?.count == 2 }
            let own = Preprocessing.Layout.ofPicture(extents, layout)
            let channels = own == .channelsFirst ? extents[0] : extents[2]
            return channels.map { [1, 3, 4].contains($0) } ?? true
        }?.name
    }

    /// The bytes of an output.
    func bytes(of output: Tensor) throws -> TileOutput {
        let numbers = if let quantization { try output.dequantized(quantization) } else { output }
        // Unless the file says it, the picture has the order that the network takes.
        let stated = session.model.pictureOutputs[outputName]
        let isReversed = stated.map { $0 == .bgr } ?? (counting.channelOrder == .bgr)
        return try TileOutput(
            numbers, pictures.input.layout, range, counting, isReversed: isReversed, session.model.name)
    }
}
