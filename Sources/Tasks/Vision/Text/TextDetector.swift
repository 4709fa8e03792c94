import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and finds the lines of text in them, without reading them.
///
///     let detector = try await TextDetector(Model(contentsOf: "text_detection.onnx"))
///     for line in try await detector.predict(.file("page.png")).lines { print(line.box.corners, line.confidence) }
///  The network gives one map with the probability that a pixel belongs to the middle of a line: differentiable
/// binarization, as the detectors of PaddleOCR do. Networks of the family CRAFT give two, of characters and of the
/// links between them, and those of the family EAST give rectangles; boxes are then those of words. Boxes are rotated
/// rectangles, cut at the picture's edges. Every method may be called from any task.
public final class TextDetector: Sendable {
    /// The options of a detector. Networks of the families CRAFT and EAST have thresholds of their own.
    public struct Options: Sendable, Equatable {
        /// The limit of a picture's side.
        public var limit: Preprocessing.SideLimit
        /// The probability above which a pixel belongs to a line.
        public var threshold: Float
        /// Lines with less confidence, the mean of the map in their box, are left out.
        public var minimumConfidence: Float
        /// The factor by which boxes grow beyond what the map shows.
        public var growth: Float

        /// Makes options; the defaults are those of RapidOCR.
        public init(
            limit: Preprocessing.SideLimit = .init(.shortest, 736), threshold: Float = 0.3,
            minimumConfidence: Float = 0.5, growth: Float = 1.6
        ) {
            (self.limit, self.threshold) = (limit, threshold)
            (self.minimumConfidence, self.growth) = (minimumConfidence, growth)
        }
    }

    /// The session that runs the network.
    public let session: Session
    /// The options.
    public let options: Options
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    /// What the network's maps show.
    private let maps: TextMaps

    /// Starts a detector.
    ///
    /// - Parameters:
    ///   - detection: The limit of pictures, and what counts as a line.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or gives no map; otherwise as
    ///   ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), detection: Options = Options(),
        preprocessing: Preprocessing? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        var steps = preprocessing ?? model.preprocessing
        if steps == nil { steps = try Self.customaryPreprocessing(of: model, detection) }
        var input = try ImageInput(model, preprocessing: steps)
        let maps = (model.family as? any TextMapFamily)?.maps ?? .lines
        self.maps = maps
        if maps.areOfPages { input.adjusting = { try TextPage(of: $0.size).image(of: $0) } }
        let layout = input.layout
        let output = PictureOutputs(model).outputs.first { output in
            guard let extents = output.extents, extents.count == 3 else { return false }
            return (layout == .channelsFirst ? extents[0] : extents[2]) == maps.count
        }
        guard let output else {
            let wanted = maps.count == 1 ? "one map" : "two maps"
            throw .usage("\(model.name): no output is \(wanted), by which lines of text are found")
        }
        if maps == .rotatedBoxes {
            guard RotatedTextMaps(PictureOutputs(model).outputs.map(\.extents), layout) != nil else {
                throw .usage("\(model.name): the outputs are no map of scores and five of geometry, as EAST has them")
            }
        } else {
            model = try model.giving(output.name)
        }
        outputs = PictureOutputs(model)
        self.options = detection
        var decoding = decoding
        decoding.putsOnGround = true
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The steps of PaddleOCR: blue, green and red from −1 to 1, at a size within the limit or at that of the network.
    ///
    /// Source: `DetPreProcess` of https://github.com/RapidAI/RapidOCR
    package static func customaryPreprocessing(
        of model: Model, _ options: Options
    ) throws(ApusError) -> Preprocessing {
        let plain = try ImageInput(model, preprocessing: nil)
        return .paddleOCR(plain, plain.size.map { .exact($0) } ?? .limited(options.limit))
    }
}

extension TextDetector: TextPredictor {
    public var core: PredictorCore<RecognizedText> { PredictorCore(self) }

    package var settings: [String: String] {
        [
            "task": VisionTask.text.rawValue, "threshold": "\(options.threshold)",
            "box confidence": "\(options.minimumConfidence)", "growth": "\(options.growth)", "maps": maps.rawValue,
        ]
    }

    /// The memory for maps, masks, and the runs of pixels or the rectangles in them.
    private static func decodingByteCount(_ maps: [Tensor]) throws -> Int {
        try maps.reduce(0) { sum, map in
            let (byteCount, overflow) = map.elementCount.multipliedReportingOverflow(by: 64)
            let (whole, isOver) = sum.addingReportingOverflow(byteCount)
            guard !overflow, !isOver else { throw TensorError.overflow(map.shape) }
            return whole
        }
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> RecognizedText {
        if maps == .rotatedBoxes {
            let byteCount = try Self.decodingByteCount(rows)
            try MemoryBudget.process.reserve(byteCount)
            defer { MemoryBudget.process.release(byteCount) }
            return try rotatedText(in: outputs.dequantized(rows), to: picture)
        }
        let numbers = try outputs.firstNumbers(of: rows)
        guard numbers.shape.count == 3, numbers.elementCount > 0,
            case let (columns, lines) = extent(of: numbers.shape), columns * lines * maps.count == numbers.elementCount
        else {
            throw RecordError(
                stage: "predict", code: "shape",
                message: "the output has no \(maps.count == 1 ? "map" : "two maps"), but \(numbers.shape)")
        }
        let byteCount = try Self.decodingByteCount([numbers])
        try MemoryBudget.process.reserve(byteCount)
        defer { MemoryBudget.process.release(byteCount) }
        let size = picture.size ?? pictures.input.extent(of: picture.tensor)
        if maps == .characters {
            let found = try words(in: numbers, columns, lines, of: size, at: picture.placement)
            return RecognizedText(ReadingOrder.sorted(found, \.box), imageSize: picture.size)
        }
        let page = picture.size == nil ? nil : try TextPage(of: size)
        let shares = try numbers.finiteElements()
        try RecordError.checkConfidences(shares, "the map of lines")
        var decoder = TextMapDecoder()
        (decoder.threshold, decoder.minimumScore) = (options.threshold, options.minimumConfidence)
        (decoder.growth, decoder.dilatesRegions) = (Double(options.growth), maps == .lines)
        let pageSize = page?.size ?? size
        // The map shows the page and, with some preprocessing, a border.
        let hasBorder = page != nil && picture.placement != ImagePlacement()
        let mapped = hasBorder ? pictures.input.extent(of: picture.tensor) : pageSize
        let boxes = decoder.boxes(in: shares, width: columns, height: lines, of: mapped)
        let found = boxes.compactMap { box in
            let corners =
                hasBorder ? box.corners.map { Self.place($0, mapped, picture.placement, pageSize) } : box.corners
            return Quadrilateral(corners).map { RecognizedTextLine(text: nil, confidence: box.score, box: $0) }
        }
        let sorted = ReadingOrder.sorted(found, \.box).map { line in
            let box = page.map { page in line.box.map(page.original) } ?? line.box
            return RecognizedTextLine(text: nil, confidence: line.confidence, box: box, place: line.box)
        }
        return RecognizedText(sorted, imageSize: picture.size)
    }

    /// A point of the input, which has a border, on the page.
    private static func place(
        _ point: PixelPoint, _ input: ImageSize, _ placement: ImagePlacement, _ page: ImageSize
    ) -> PixelPoint {
        let (x, y) = placement.original(x: point.x / Double(input.width), y: point.y / Double(input.height))
        return PixelPoint(
            x: min(max((x * Double(page.width)).rounded(), 0), Double(page.width)),
            y: min(max((y * Double(page.height)).rounded(), 0), Double(page.height)))
    }

    /// The words in the maps of characters and links.
    private func words(
        in numbers: Tensor, _ width: Int, _ height: Int, of size: ImageSize, at placement: ImagePlacement
    ) throws -> [RecognizedTextLine] {
        let scores = try numbers.finiteElements()
        let page = try TextPage(of: size)
        let isPlanar = pictures.input.layout == .channelsFirst
        func map(_ index: Int) -> [Float] {
            let count = width * height
            return isPlanar
                ? Array(scores[index * count..<(index + 1) * count])
                : stride(from: index, to: scores.count, by: 2).map { scores[$0] }
        }
        return CharacterRegionDecoder().words(region: map(0), link: map(1), width: width).compactMap { word in
            let corners = word.corners.map { corner in
                let (x, y) = placement.original(x: corner.x / Double(width), y: corner.y / Double(height))
                return PixelPoint(
                    x: min(max(x, 0), 1) * Double(size.width), y: min(max(y, 0), 1) * Double(size.height))
            }
            let confidence = min(max(word.score, 0), 1)
            return Quadrilateral(corners).map { box in
                RecognizedTextLine(
                    text: nil, confidence: confidence, box: box, place: Quadrilateral(corners.map(page.place)))
            }
        }
    }

    /// The width and height of a map [1, height, width] or [height, width, 1].
    private func extent(of shape: [Int]) -> (width: Int, height: Int) {
        pictures.input.layout == .channelsFirst ? (shape[2], shape[1]) : (shape[1], shape[0])
    }
}
