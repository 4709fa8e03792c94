/// The defaults of a family of Hugging Face's image processors, which apply to keys that a configuration lacks.
///
/// Source: the `__init__` defaults of `transformers/models/*/image_processing_*.py`.
struct HuggingFaceFamily {
    /// How `size` and `crop_pct` determine resizing and crop.
    enum SizeRule {
        case plain
        /// Below 384: short edge to size / crop_pct, crop to size. From 384 on: stretch to the square.
        case convNext
        /// Short edge to size * 256 / 224.
        case levit
    }

    var sizeRule = SizeRule.plain
    /// Whether a `size` that is one number means the short edge, not a square.
    var sizeIsShortestEdge = false
    var size = 224
    var filter = ResamplingFilter.bilinear
    var crop: Int?
    var cropFraction: Double?
    var normalizes = true
    var flipsChannels = false
    var mean = Self.half
    var standardDeviation = Self.half
    /// Whether the defaults are those of the type.
    var isKnown = true
    /// The number that both edges are cut to a multiple of.
    var multiple = 1

    /// The family of an `image_processor_type` or `feature_extractor_type`; ViT's defaults when the type is unknown.
    init(named type: String?) {
        var name = type ?? ""
        for suffix in ["Fast", "Pil", "ImageProcessor", "FeatureExtractor"] where name.hasSuffix(suffix) {
            name.removeLast(suffix.count)
        }
        switch name {
        case "CLIP", "ChineseCLIP", "Bit":
            shortestEdge(224, crop: 224, .bicubic)
            (mean, standardDeviation) = (Self.clipMean, Self.clipDeviation)
        case "ConvNext":
            // Bicubic since version 5; before, it was bilinear.
            shortestEdge(384, crop: nil, .bicubic)
            sizeRule = .convNext
            cropFraction = 224 / 256
        case "Levit":
            shortestEdge(224, crop: 224, .bicubic)
            sizeRule = .levit
            (mean, standardDeviation) = (Preprocessing.imageNetMean, Preprocessing.imageNetDeviation)
        case "PoolFormer":
            shortestEdge(224, crop: 224, .bicubic)
            cropFraction = 0.9
            (mean, standardDeviation) = (Preprocessing.imageNetMean, Preprocessing.imageNetDeviation)
        case "MobileNetV1", "MobileNetV2":
            shortestEdge(256, crop: 224, .bilinear)
        case "MobileViT":
            shortestEdge(224, crop: 256, .bilinear)
            normalizes = false
            flipsChannels = true
        case "DeiT", "Beit":
            size = 256
            crop = 224
            filter = .bicubic
        case "DPT":
            size = 384
            filter = .bicubic
        case "Siglip":
            filter = .bicubic
        case "Yolos":
            (mean, standardDeviation) = (Preprocessing.imageNetMean, Preprocessing.imageNetDeviation)
            multiple = 16
        case "", "ViT": break
        default: isKnown = false
        }
    }

    private mutating func shortestEdge(_ size: Int, crop: Int?, _ filter: ResamplingFilter) {
        sizeIsShortestEdge = true
        self.size = size
        self.crop = crop
        self.filter = filter
    }

    private static let half: [Float] = [0.5, 0.5, 0.5]
    private static let clipMean: [Float] = [0.48145466, 0.4578275, 0.40821073]
    private static let clipDeviation: [Float] = [0.26862954, 0.26130258, 0.27577711]
}
