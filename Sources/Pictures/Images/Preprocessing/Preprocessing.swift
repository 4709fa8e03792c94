/// The steps that turn a picture into the numbers that a network takes.
///
///     var preprocessing = try Preprocessing(huggingFaceJSON: Data(contentsOf: url))
///     preprocessing.filter = .bicubic
///     let input = try preprocessing.tensor(from: image)
///  Steps run in this order: grey, resize, crop, compress, scale, normalize, standardize, channel order, padding. Steps
/// up to the compression work on 8-bit pixels, as in Pillow; later steps work in single precision:
///
///     number = (Float(pixel) * scale - mean) / standardDeviation
public struct Preprocessing: Sendable, Equatable {
    /// The size an image takes before it is cropped.
    public enum Resizing: Sendable, Equatable {
        /// The image's own size.
        case none
        /// This size; proportions are not kept.
        case exact(ImageSize)
        /// The short edge takes this length, and the long edge keeps the proportions, rounded down. If the long edge
        /// would exceed `longestEdge`, it takes that length and the short edge follows.
        case shortestEdge(Int, longestEdge: Int? = nil)
        /// The largest size with the same proportions inside this one, rounded down; small images grow.
        case within(ImageSize)
        /// The size with the same proportions that changes less: the width or the height becomes that of `size`,
        /// whichever is nearer to the picture's. Both edges are then rounded to multiples of `multiple`.
        case nearest(ImageSize, multiple: Int)
        /// The smallest size with the same proportions that covers this one.
        case covering(ImageSize)
        /// The largest size with the same proportions inside this one, surrounded by `color`.
        case letterbox(ImageSize, color: Color = .black, Letterbox = .pillow)
        /// The size of one line of text, whose width follows from the picture.
        case line(Line)
        /// A limit of a side; the size follows from the picture.
        case limited(SideLimit)
        /// This size for the square in the middle of the picture, as long as its shorter side. It is cut out before it
        /// is resized.
        case middleSquare(ImageSize)
    }

    /// A color, for padding.
    public struct Color: Sendable, Hashable {
        /// The channels, 0 to 255.
        public var red, green, blue: UInt8

        /// Makes a color.
        public init(red: UInt8, green: UInt8, blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// Black: 0, 0, 0.
        public static let black = Color(red: 0, green: 0, blue: 0)
        /// The gray with which most detectors of the YOLO family are trained.
        public static let gray = Color(red: 114, green: 114, blue: 114)
        /// The gray nearest to 0.5.
        public static let middleGray = Color(red: 128, green: 128, blue: 128)
    }

    /// The channels that a network takes, in their order.
    public enum ChannelOrder: String, Sendable, CaseIterable {
        /// Red, green, blue.
        case rgb
        /// Blue, green, red.
        case bgr
        /// One channel: the luma of ITU-R BT.601, as in Pillow's mode `L`.
        case gray
        /// Three channels, each the luma.
        case grayRGB = "gray-rgb"

        /// The number of channels: 3, or 1 for gray.
        public var channelCount: Int { self == .gray ? 1 : 3 }
        /// Whether pictures lose their color.
        var isGray: Bool { self == .gray || self == .grayRGB }
    }

    /// The rounding of a long edge that follows from the short edge.
    public enum LongEdgeRounding: Sendable, Hashable {
        /// Down, as in torchvision and the processors of Hugging Face.
        case down
        /// To the size whose proportions are closest to the picture's.
        case nearest
    }

    /// The rounding of the place from which a crop takes the middle.
    public enum CropRounding: String, Sendable, Hashable {
        /// Down, and up where a smaller image is surrounded, as in the processors of Hugging Face.
        case down
        /// To the nearest pixel, and from the middle of two to the even one; down where a smaller image is surrounded.
        ///
        /// Source: `center_crop` of https://github.com/pytorch/vision
        case torchvision
    }

    /// The maximum width and height of a requested size.
    public static let maximumEdge = 65_536

    /// The size before the crop.
    public var resizing: Resizing = .none
    /// The rounding of the long edge when ``Resizing/shortestEdge(_:longestEdge:)`` keeps the proportions.
    public var longEdgeRounding: LongEdgeRounding = .down
    /// The filter for resizing.
    public var filter: ResamplingFilter = .bilinear
    /// The size of the part that is kept, from the middle; black surrounds a smaller image.
    public var crop: ImageSize?
    /// The rounding of the crop's place.
    public var cropRounding: CropRounding = .down
    /// The border that makes a picture square before it is resized; nil for none.
    public var squareBorder: SquareBorder?
    /// The number of which both sides are multiples behind the crop: pixels of the border's color are added at the
    /// right and below.
    public var borderMultiple = 1
    /// The quality, from 1 to 100, with which the picture is compressed as JPEG behind the crop, and decoded again; nil
    /// for networks that were not trained on such pixels.
    public var jpegQuality: Int?
    /// The factor of each pixel, which is 0 to 255.
    public var scale: Float = 1
    /// Whether pixels are divided by the largest number among all channels of the picture, after the crop, instead of
    /// multiplied by ``scale``. A black picture stays black.
    public var dividesByMaximum = false
    /// The numbers subtracted after scaling: one, or one for each of red, green and blue.
    public var mean: [Float] = [0]
    /// The divisors of the differences: one, or one for each of red, green and blue.
    public var standardDeviation: [Float] = [1]
    /// The order of the channels. `mean` and `standardDeviation` stay in the order red, green, blue.
    public var channelOrder: ChannelOrder = .rgb
    /// Whether the numbers of an image are then standardized with their own mean and standard deviation over all pixels
    /// and channels:
    ///
    ///     (number - mean) / (standard deviation + 1e-6)
    public var standardizesEachImage = false
    /// The size up to which zeros fill the right and the bottom, after normalization.
    public var padding: ImageSize?

    /// The mean and the standard deviation of the pictures of ImageNet, from 0 to 1, for red, green and blue.
    package static let imageNetMean: [Float] = [0.485, 0.456, 0.406]
    package static let imageNetDeviation: [Float] = [0.229, 0.224, 0.225]

    /// Makes preprocessing that changes nothing: pixels become numbers from 0 to 255.
    public init() {}

    /// Makes preprocessing to a size.
    public init(
        _ mode: ResizeMode, to size: ImageSize, filter: ResamplingFilter = .bilinear, scale: Float = 1,
        mean: [Float] = [0], standardDeviation: [Float] = [1], channelOrder: ChannelOrder = .rgb
    ) {
        self.filter = filter
        self.scale = scale
        self.mean = mean
        self.standardDeviation = standardDeviation
        self.channelOrder = channelOrder
        setResizing(mode, to: size)
    }
}

extension Preprocessing {
    /// A way to resize pictures of any proportions to one size.
    public enum ResizeMode: String, Sendable, CaseIterable {
        /// Cover the size, then crop to it from the middle.
        case centerCrop = "center-crop"
        /// Keep the whole picture, with a border.
        case fit
        /// Stretch to the size.
        case fill
        /// Crop to the square in the middle, then stretch it to the size.
        case squareCrop = "square-crop"
    }

    /// Replaces resize and crop by one way to reach a size.
    ///
    /// - Parameters:
    ///   - color: The border's color, for ``ResizeMode/fit``.
    ///   - letterbox: The border's placement, for ``ResizeMode/fit``.
    public mutating func setResizing(
        _ mode: ResizeMode, to size: ImageSize, color: Color = .black, letterbox: Letterbox = .pillow
    ) {
        crop = nil
        padding = nil
        (squareBorder, borderMultiple) = (nil, 1)
        switch mode {
        case .centerCrop:
            resizing = .covering(size)
            crop = size
        case .fit: resizing = .letterbox(size, color: color, letterbox)
        case .fill: resizing = .exact(size)
        case .squareCrop: resizing = .middleSquare(size)
        }
    }

    /// The size of the result, when it is the same for every image.
    public var fixedOutputSize: ImageSize? {
        if let padding { return padding }
        return placedSize.map { size in
            func extended(_ edge: Int) -> Int { edge + (borderMultiple - edge % borderMultiple) % borderMultiple }
            return borderMultiple > 1 ? ImageSize(width: extended(size.width), height: extended(size.height)) : size
        }
    }

    /// The size behind the crop, when it is the same for every image.
    private var placedSize: ImageSize? {
        if let crop { return crop }
        switch resizing {
        case .exact(let size), .letterbox(let size, _, _), .middleSquare(let size): return size
        case .line(let line):
            guard line.minimumWidth == line.maximumWidth else { return nil }
            return ImageSize(width: line.minimumWidth, height: line.height)
        case .none, .shortestEdge, .within, .nearest, .covering, .limited: return nil
        }
    }
}
