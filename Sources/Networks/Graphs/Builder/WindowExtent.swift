/// The extents of a kernel, or its stride or dilation: one number for height and width, or one for each.
///
///     image.convolution(64, kernel: 3, stride: 2)
///     image.convolution(64, kernel: .of(height: 1, width: 7))
public protocol WindowExtent {
    /// The number of rows.
    var height: Int { get }
    /// The number of columns.
    var width: Int { get }
}

extension Int: WindowExtent {
    public var height: Int { self }
    public var width: Int { self }
}

/// A height and a width that may differ.
public struct HeightAndWidth: WindowExtent, Sendable, Hashable {
    /// The number of rows.
    public var height: Int
    /// The number of columns.
    public var width: Int

    /// Makes a pair.
    public init(height: Int, width: Int) {
        self.height = height
        self.width = width
    }
}

extension WindowExtent where Self == HeightAndWidth {
    /// A height and a width that may differ.
    public static func of(height: Int, width: Int) -> HeightAndWidth {
        HeightAndWidth(height: height, width: width)
    }
}

extension WindowExtent {
    var list: [Int] { [height, width] }
}

/// The padding that a convolution or pooling reads around the edges of an image.
public enum Padding: Sendable, Hashable {
    /// No padding: windows stay inside the image.
    case valid
    /// The padding that makes the result ⌈extent / stride⌉ long; an odd row or column goes to the end.
    case same
    /// The given number of rows or columns on each side.
    case explicit(top: Int, left: Int, bottom: Int, right: Int)

    /// The same number of rows and columns on every side.
    public static func explicit(_ count: Int) -> Padding {
        .explicit(top: count, left: count, bottom: count, right: count)
    }

    /// `vertical` rows above and below, and `horizontal` columns on the left and right.
    public static func explicit(vertical: Int, horizontal: Int) -> Padding {
        .explicit(top: vertical, left: horizontal, bottom: vertical, right: horizontal)
    }
}

extension SpatialWindow {
    /// The window of a layer over images.
    init(
        kernel: some WindowExtent, stride: some WindowExtent, padding: Padding, dilation: some WindowExtent = 1,
        ceilMode: Bool = false
    ) throws(OperatorError) {
        self.init(
            kernel: kernel.list, strides: stride.list, dilations: dilation.list,
            autoPad: padding == .same ? .sameUpper : .notSet, ceilMode: ceilMode)
        if case .explicit(let top, let left, let bottom, let right) = padding { pads = [top, left, bottom, right] }
        try Self.check("kernel_shape", self.kernel, least: 1)
        try Self.check("strides", strides, least: 1)
        try Self.check("dilations", dilations, least: 1)
        try Self.check("pads", pads, least: 0)
    }
}
