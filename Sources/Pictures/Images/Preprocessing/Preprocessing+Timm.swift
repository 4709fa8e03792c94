import FoundationEssentials

extension Preprocessing {
    /// Reads the steps of a `config.json` of timm: those of `pretrained_cfg`, or of the whole object in older files.
    ///
    /// Steps are those with which timm evaluates: the size is divided by `crop_pct`, rounded down, and the middle is
    /// cropped to the size.
    ///
    /// - Parameter size: The size of the network's pictures, where it is fixed; nil for that of the file.
    /// - Returns: Nil for an object that is no configuration of timm.
    /// - Throws: ``PreprocessingError`` naming the key that is wrong or unsupported.
    ///
    /// Source: `resolve_data_config` and `transforms_imagenet_eval` of
    /// https://github.com/huggingface/pytorch-image-models
    package init?(timmJSON json: Data, size network: ImageSize?) throws(PreprocessingError) {
        guard let root = JSONValue(json)?.object, let members = Self.timmConfiguration(root) else { return nil }
        self.init()
        let configuration = HuggingFaceConfiguration(members)
        let input = try Self.timmSize(configuration, "input_size") ?? (3, ImageSize(width: 224, height: 224))
        let tested = try Self.timmSize(configuration, "test_input_size")
        let size = network ?? input.size
        var fraction = try configuration.number("crop_pct")
        if size != input.size, size == tested?.size {
            fraction = try configuration.number("test_crop_pct") ?? fraction
        }
        try setTimmResizing(configuration, to: size, fraction ?? 0.875)
        filter = try Self.timmFilter(configuration)
        scale = 1 / 255
        let (average, deviation) = (try configuration.numbers("mean"), try configuration.numbers("std"))
        mean = average ?? (input.channels == 1 ? [0.485] : [0.485, 0.456, 0.406])
        standardDeviation = deviation ?? (input.channels == 1 ? [0.229] : [0.229, 0.224, 0.225])
        channelOrder = input.channels == 1 ? .gray : .rgb
        try validate()
    }

    /// The object with the steps.
    private static func timmConfiguration(_ root: [String: JSONValue]) -> [String: JSONValue]? {
        if let members = root["pretrained_cfg"]?.object { return members }
        return root["architecture"]?.string != nil && root["input_size"]?.array != nil ? root : nil
    }

    /// The channels and the size of a list of channels, height and width.
    private static func timmSize(
        _ configuration: HuggingFaceConfiguration, _ key: String
    ) throws(PreprocessingError) -> (channels: Int, size: ImageSize)? {
        guard let value = configuration.values[key] else { return nil }
        guard let list = value.array, list.count == 3, let channels = list[0].integer, [1, 3].contains(channels) else {
            throw .invalid(key: key, reason: "must be a list of 3 or 1 channels, height and width")
        }
        let (height, width) = (try configuration.edge(key, list[1]), try configuration.edge(key, list[2]))
        return (channels, ImageSize(width: width, height: height))
    }

    private mutating func setTimmResizing(
        _ configuration: HuggingFaceConfiguration, to size: ImageSize, _ fraction: Double
    ) throws(PreprocessingError) {
        guard fraction > 0, fraction <= 1 else {
            throw .invalid(key: "crop_pct", reason: "must lie above 0 and up to 1, not \(fraction)")
        }
        let (width, height) = (Double(size.width) / fraction, Double(size.height) / fraction)
        guard max(width, height) <= Double(Self.maximumEdge) else {
            throw .invalid(key: "crop_pct", reason: "is too small for a size of \(size)")
        }
        let whole = ImageSize(width: Int(width), height: Int(height))
        (crop, cropRounding) = (size, .torchvision)
        switch try configuration.text("crop_mode") ?? "center" {
        case "squash": resizing = .exact(whole)
        case "center": resizing = whole.width == whole.height ? .shortestEdge(whole.width) : .covering(whole)
        case let mode:
            throw .unsupported(
                key: "crop_mode", reason: "it is \"\(mode.prefix(40))\", not \"center\" or \"squash\"")
        }
    }

    private static func timmFilter(
        _ configuration: HuggingFaceConfiguration
    ) throws(PreprocessingError) -> ResamplingFilter {
        let filters: [String: ResamplingFilter] = [
            "nearest": .nearest, "lanczos": .lanczos, "bilinear": .bilinear, "bicubic": .bicubic, "box": .box,
            "hamming": .hamming,
        ]
        let name = try configuration.text("interpolation") ?? "bicubic"
        guard let filter = filters[name] else {
            let names = filters.keys.sorted().joined(separator: ", ")
            throw .unsupported(key: "interpolation", reason: "it is \"\(name.prefix(40))\", not one of \(names)")
        }
        return filter
    }
}
