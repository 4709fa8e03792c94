extension Preprocessing {
    /// The size of pictures of one line of text.
    ///
    /// The height is fixed, and the width keeps the proportions, rounded up. After normalization zeros fill the right
    /// up to the extent of the result: the width rounded down, but at least the minimum and at most the maximum. A
    /// picture that is wider than that is squeezed.
    ///
    /// Source: `resize_norm_img` of https://github.com/RapidAI/RapidOCR
    public struct Line: Sendable, Hashable {
        /// The height.
        public var height: Int
        /// The least width of the result.
        public var minimumWidth: Int
        /// The largest width of the result; nil for none.
        public var maximumWidth: Int?

        /// Makes a size.
        public init(height: Int, minimumWidth: Int = 1, maximumWidth: Int? = nil) {
            (self.height, self.minimumWidth, self.maximumWidth) = (height, minimumWidth, maximumWidth)
        }

        /// The width of the picture in the result, and that of the result.
        func widths(of size: ImageSize) throws(PreprocessingError) -> (picture: Int, result: Int) {
            let exact = Double(height) * (Double(size.width) / Double(size.height))
            let longest = try Preprocessing.size(exact, Double(height)).width
            let extent = min(max(minimumWidth, longest), maximumWidth ?? .max)
            return (max(1, min(longest + (Double(longest) < exact ? 1 : 0), extent)), extent)
        }
    }

    /// A limit of a side, and the number of which both sides are multiples.
    ///
    /// Where a side lies beyond the limit, the picture is scaled so that it has that length; the other side follows.
    /// Both are then rounded to the nearest multiple, halves to the even one.
    ///
    /// Source: `DetPreProcess` of https://github.com/RapidAI/RapidOCR
    public struct SideLimit: Sendable, Hashable {
        /// The side that is limited.
        public enum Side: String, Sendable, CaseIterable {
            /// The short side is at least as long.
            case shortest = "min"
            /// The long side is at most as long.
            case longest = "max"
        }

        /// The side that is limited.
        public var side: Side
        /// The limit.
        public var length: Int
        /// The number of which both sides are multiples.
        public var multiple: Int

        /// Makes a limit.
        public init(_ side: Side, _ length: Int, multiple: Int = 32) {
            (self.side, self.length, self.multiple) = (side, length, multiple)
        }

        /// The size of a picture within the limit.
        package func size(of size: ImageSize) throws(PreprocessingError) -> ImageSize {
            let bound = side == .shortest ? min(size.width, size.height) : max(size.width, size.height)
            let isBeyond = side == .shortest ? bound < length : bound > length
            let ratio = isBeyond ? Double(length) / Double(bound) : 1
            func rounded(_ edge: Int) -> Double {
                let count = (Double(Int(Double(edge) * ratio)) / Double(multiple)).rounded(.toNearestOrEven)
                return max(1, count) * Double(multiple)
            }
            guard Double(max(size.width, size.height)) * ratio < Double(Int32.max) else {
                throw .tooLarge(ImageSize(width: length, height: length))
            }
            return try Preprocessing.size(rounded(size.width), rounded(size.height))
        }
    }
}
