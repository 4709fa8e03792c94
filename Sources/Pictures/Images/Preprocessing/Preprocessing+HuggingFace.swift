import FoundationEssentials

extension Preprocessing {
    /// Reads a `preprocessor_config.json` of Hugging Face, or the `image_processor` of a `processor_config.json`.
    ///
    /// Keys that the file lacks have the defaults of its `image_processor_type`: CLIP, ConvNeXT, LeViT, PoolFormer,
    /// MobileNet, MobileViT, DeiT, BEiT, BiT, DPT or SigLIP; a file without a type has those of ViT, and one of another
    /// type must say its mean and standard deviation itself. Images are always RGB, as with `do_convert_rgb`. A long
    /// edge that follows from `shortest_edge` is rounded down as in those processors; where the file names no processor
    /// it is rounded to nearest.
    ///
    /// - Throws: ``PreprocessingError`` naming the key that is wrong or unsupported. An unknown key is refused unless
    ///   it is `false` or `null`, since it may change pixels.
    public init(huggingFaceJSON json: Data) throws(PreprocessingError) {
        let configuration = try HuggingFaceConfiguration(json)
        try configuration.checkKeys()
        let olderType = try configuration.text("feature_extractor_type")
        let type = try configuration.text("image_processor_type")
        let family = HuggingFaceFamily(named: type ?? olderType)
        func known(_ value: [Float]?, _ key: String) throws(PreprocessingError) -> [Float]? {
            guard value == nil, !family.isKnown else { return value }
            let name = (type ?? olderType ?? "").prefix(80)
            throw .invalid(key: key, reason: "is missing, and what \(name) takes for it is not known")
        }
        longEdgeRounding = type ?? olderType == nil ? .nearest : .down
        filter = try Self.filter(configuration) ?? family.filter
        if try configuration.flag("do_center_crop", default: family.crop != nil) {
            let size = try configuration.fixedSize("crop_size")
            crop = size ?? family.crop.map { ImageSize(width: $0, height: $0) }
            guard crop != nil else { throw .invalid(key: "crop_size", reason: "is missing, with \"do_center_crop\"") }
        }
        if try configuration.flag("do_resize", default: true) { try setResizing(configuration, family) }
        scale = 1
        if try configuration.flag("do_rescale", default: true) {
            scale = try Float(configuration.number("rescale_factor") ?? 1 / 255)
        }
        if try configuration.flag("do_normalize", default: family.normalizes) {
            mean = try known(configuration.numbers("image_mean"), "image_mean") ?? family.mean
            standardDeviation =
                try known(configuration.numbers("image_std"), "image_std") ?? family.standardDeviation
        }
        if try configuration.flag("do_flip_channel_order", default: family.flipsChannels) { channelOrder = .bgr }
        if try configuration.flag("do_pad", default: false) { try setPadding(configuration) }
        try validate()
    }

    /// The filter with a number of Pillow's `Image.Resampling`.
    private static func filter(
        _ configuration: HuggingFaceConfiguration
    ) throws(PreprocessingError) -> ResamplingFilter? {
        let filters: [ResamplingFilter] = [.nearest, .lanczos, .bilinear, .bicubic, .box, .hamming]
        guard let number = try configuration.number("resample") else { return nil }
        guard let index = Int(exactly: number), filters.indices.contains(index) else {
            throw .invalid(key: "resample", reason: "must be a whole number from 0 to 5, not \(number)")
        }
        return filters[index]
    }

    private mutating func setResizing(
        _ configuration: HuggingFaceConfiguration, _ family: HuggingFaceFamily
    ) throws(PreprocessingError) {
        let size = configuration.values["size"] ?? .number(Double(family.size), whole: family.size)
        resizing = try Self.resizing(size, configuration, family)
        if family.multiple > 1, case .shortestEdge = resizing {
            throw .unsupported(
                key: "size", reason: "a \"shortest_edge\" of this type gives multiples of \(family.multiple)")
        }
        try setMultiple(configuration)
        let fraction = try configuration.number("crop_pct") ?? family.cropFraction
        if let fraction, !(fraction > 0 && fraction <= 1) {
            throw .invalid(key: "crop_pct", reason: "must lie above 0 and up to 1, not \(fraction)")
        }
        switch (resizing, fraction) {
        case (.shortestEdge(let edge, nil), let fraction?) where family.sizeRule == .convNext || crop == nil:
            let square = ImageSize(width: edge, height: edge)
            resizing = edge < 384 ? try Self.shortestEdge(edge, fraction) : .exact(square)
            crop = edge < 384 ? square : nil
        case (.shortestEdge(let edge, nil), let fraction?):
            resizing = try Self.shortestEdge(edge, fraction)
        case (.exact(let square), let fraction?) where square.width == square.height && crop != nil:
            resizing = try Self.shortestEdge(square.width, fraction)
        case (_, .some):
            throw .unsupported(key: "crop_pct", reason: "with a \"size\" that is not one edge")
        case (.shortestEdge(let edge, nil), nil) where family.sizeRule == .levit:
            resizing = .shortestEdge(Int(256.0 / 224.0 * Double(edge)))
        default: break
        }
    }

    /// Keeps proportions, and rounds edges to multiples, as `get_resize_output_image_size` of DPT does.
    private mutating func setMultiple(_ configuration: HuggingFaceConfiguration) throws(PreprocessingError) {
        let multiple = try configuration.values["ensure_multiple_of"].map { value throws(PreprocessingError) in
            try configuration.edge("ensure_multiple_of", value)
        }
        let keeps = try configuration.flag("keep_aspect_ratio", default: false)
        guard keeps || multiple ?? 1 > 1 else { return }
        guard case .exact(let size) = resizing else {
            throw .unsupported(
                key: keeps ? "keep_aspect_ratio" : "ensure_multiple_of",
                reason: "with a \"size\" that is not \"height\" and \"width\"")
        }
        func rounded(_ edge: Int) -> Int {
            let count = (Double(edge) / Double(multiple ?? 1)).rounded(.toNearestOrEven)
            return max(1, Int(count)) * (multiple ?? 1)
        }
        resizing =
            keeps
            ? .nearest(size, multiple: multiple ?? 1)
            : .exact(ImageSize(width: rounded(size.width), height: rounded(size.height)))
    }

    /// Resizing to a short edge of edge / fraction.
    private static func shortestEdge(_ edge: Int, _ fraction: Double) throws(PreprocessingError) -> Resizing {
        let whole = Double(edge) / fraction
        guard whole <= Double(maximumEdge) else {
            throw .invalid(key: "crop_pct", reason: "is too small for a size of \(edge)")
        }
        return .shortestEdge(Int(whole))
    }

    private static func resizing(
        _ size: JSONValue, _ configuration: HuggingFaceConfiguration, _ family: HuggingFaceFamily
    ) throws(PreprocessingError) -> Resizing {
        guard let edges = try configuration.edges("size", size) else {
            let edge = try configuration.edge("size", size)
            let isSquare = try configuration.flag("default_to_square", default: !family.sizeIsShortestEdge)
            return isSquare ? .exact(ImageSize(width: edge, height: edge)) : .shortestEdge(edge)
        }
        switch Set(edges.keys) {
        case ["height", "width"]:
            return .exact(ImageSize(width: edges["width", default: 0], height: edges["height", default: 0]))
        case ["max_height", "max_width"]:
            return .within(ImageSize(width: edges["max_width", default: 0], height: edges["max_height", default: 0]))
        case ["shortest_edge"], ["shortest_edge", "longest_edge"]:
            return .shortestEdge(edges["shortest_edge", default: 0], longestEdge: edges["longest_edge"])
        default:
            let names = edges.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            throw .unsupported(
                key: "size",
                reason: "it has \(names.isEmpty ? "no edges" : names), not \"height\" and \"width\", "
                    + "\"shortest_edge\", or \"max_height\" and \"max_width\"")
        }
    }

    /// Padding to the largest image of a batch, as detectors do, changes nothing for one image.
    private mutating func setPadding(_ configuration: HuggingFaceConfiguration) throws(PreprocessingError) {
        if case .object = configuration.values["pad_size"] {
            padding = try configuration.fixedSize("pad_size")
        } else if configuration.values["pad_size"] != nil {
            throw .unsupported(key: "pad_size", reason: "it is not an object with \"height\" and \"width\"")
        } else if case .shortestEdge(_, .some) = resizing {
            return
        } else {
            throw .unsupported(key: "do_pad", reason: "without \"pad_size\" its meaning differs between models")
        }
    }
}
