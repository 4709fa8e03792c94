import Images
import Platform
import Preparation

/// The picture of a handler with its prepared forms, on a thread of its own.
actor RequestedPicture {
    private let executor: BlockingExecutor
    private let source: ImageSource
    private let orientation: ImageOrientation?
    private let decoding: Image.DecodingOptions
    private var decoded: Result<Image, RecordError>?
    /// The resized and cropped pictures, by the steps that made them.
    private var placed: [(steps: Preprocessing, image: Image)] = []
    /// The numbers, by all steps that made them.
    private var prepared: [(steps: Preprocessing, layout: Preprocessing.Layout, picture: PreparedPicture)] = []
    /// How often the picture was decoded, and how often it was resized.
    private(set) var work = (decoded: 0, resized: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ source: ImageSource, _ orientation: ImageOrientation?, _ decoding: Image.DecodingOptions
    ) throws(ApusError) {
        self.source = source
        self.orientation = orientation
        self.decoding = decoding
        executor = try BlockingExecutor(name: "apus-request", role: .actor)
    }

    func image() throws -> Image {
        if let decoded { return try decoded.get() }
        work.decoded += 1
        let result = RecordError.catching {
            var options = decoding
            if orientation != nil { options.appliesOrientation = false }
            let image = try source.image(options)
            return orientation.map { image.turned($0) } ?? image
        }
        decoded = result
        return try result.get()
    }

    func prepared(for input: ImageInput, _ cropAndScale: CropAndScale?) throws -> PreparedPicture {
        if case .array(let array) = source {
            return PreparedPicture(tensor: try RecordError.catching { try input.tensor(from: array) }.get(), size: nil)
        }
        let image = try image()
        var steps = input.preprocessing
        if let cropAndScale {
            guard let size = input.size, !input.placesByItself else {
                throw ApusError.usage("cropping and scaling need a size, and the network fixes none")
            }
            let (color, letterbox) = steps.border
            steps.setResizing(cropAndScale.mode, to: size, color: color, letterbox: letterbox)
        }
        return try RecordError.catching {
            // An input that places pictures in a way of its own shares nothing.
            try input.placesByItself
                ? input.prepared(.image(image), decoding) : prepared(image, steps, input)
        }.get()
    }

    private func prepared(_ image: Image, _ steps: Preprocessing, _ input: ImageInput) throws -> PreparedPicture {
        if let known = prepared.first(where: { $0.steps == steps && $0.layout == input.layout }) {
            return known.picture
        }
        let geometry = try steps.geometry(for: image.size)
        let (placing, counting) = steps.parts
        let resized: Image
        if let known = placed.first(where: { $0.steps == placing }) {
            resized = known.image
        } else {
            work.resized += 1
            resized = placing.placed(image, geometry)
            placed.append((placing, resized))
        }
        let tensor = try input.tensor(from: resized, counting, geometry.afterPlacing)
        let picture = PreparedPicture(tensor: tensor, size: image.size, placement: geometry.placement)
        prepared.append((steps, input.layout, picture))
        return picture
    }
}

extension Preprocessing {
    /// The color and the position of the border; defaults where there is none.
    fileprivate var border: (color: Color, letterbox: Letterbox) {
        if case .letterbox(_, let color, let letterbox) = resizing { return (color, letterbox) }
        return (.black, .pillow)
    }

    /// The steps up to the crop, and those after it; both in turn do the same as all steps.
    var parts: (placing: Preprocessing, counting: Preprocessing) {
        var placing = Preprocessing()
        placing.resizing = resizing
        placing.longEdgeRounding = longEdgeRounding
        placing.filter = filter
        placing.crop = crop
        placing.squareBorder = squareBorder
        // A picture becomes gray before its size changes.
        if [.gray, .grayRGB].contains(channelOrder) { placing.channelOrder = channelOrder }
        var counting = self
        counting.squareBorder = nil
        // A line keeps its size, and gets the zeros at its end.
        if case .line = resizing {} else { counting.resizing = .none }
        counting.crop = nil
        return (placing, counting)
    }
}
