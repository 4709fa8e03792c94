extension Preprocessing {
    /// The size to which an image of `size` is resized, before the crop. Formulas and rounding are those of Hugging
    /// Face's `image_transforms`, of Pillow's `ImageOps.contain`, and of the ``Letterbox``.
    func resizedSize(for size: ImageSize) throws(PreprocessingError) -> ImageSize {
        let (width, height) = (Double(size.width), Double(size.height))
        switch resizing {
        case .none:
            return size
        case .exact(let target), .middleSquare(let target):
            return target
        case .shortestEdge(let edge, let longest):
            return try shortestEdge(edge, longest, size)
        case .within(let target):
            let scale = min(Double(target.height) / height, Double(target.width) / width)
            return try Self.size(width * scale, height * scale)
        case .nearest(let target, let multiple):
            let (across, down) = (Double(target.width) / width, Double(target.height) / height)
            let scale = abs(1 - across) < abs(1 - down) ? across : down
            func edge(_ edge: Double) -> Double {
                max(1, (scale * edge / Double(multiple)).rounded(.toNearestOrEven)) * Double(multiple)
            }
            return try Self.size(edge(width), edge(height))
        case .covering(let target):
            let (minimumWidth, minimumHeight) = (Double(target.width), Double(target.height))
            return minimumWidth * height >= minimumHeight * width
                ? try Self.size(minimumWidth, max(minimumHeight, minimumWidth * height / width))
                : try Self.size(max(minimumWidth, minimumHeight * width / height), minimumHeight)
        case .letterbox(let target, _, let letterbox):
            return try letterbox.resizedSize(of: size, in: target)
        case .line(let line):
            return ImageSize(width: try line.widths(of: size).picture, height: line.height)
        case .limited(let limit):
            return try limit.size(of: size)
        }
    }

    /// The size for a given short edge. A limit on the long edge may make the short edge a fraction: it is rounded, but
    /// the long edge follows from the fraction.
    private func shortestEdge(
        _ edge: Int, _ longest: Int?, _ size: ImageSize
    ) throws(PreprocessingError) -> ImageSize {
        let short = Double(min(size.width, size.height))
        let long = Double(max(size.width, size.height))
        var exact = Double(edge)
        if let longest, long / short * exact > Double(longest) { exact = Double(longest) * short / long }
        let newShort = exact.rounded(.toNearestOrEven)
        let exactLong = exact * long / short
        let rounded = longEdgeRounding == .nearest ? exactLong.rounded(.toNearestOrEven) : exactLong
        let newLong = newShort == short ? long : rounded
        return size.width <= size.height ? try Self.size(newShort, newLong) : try Self.size(newLong, newShort)
    }

    /// The size of the extents rounded down, each at least 1.
    static func size(_ width: Double, _ height: Double) throws(PreprocessingError) -> ImageSize {
        guard width < Double(Int32.max), height < Double(Int32.max) else {
            throw .tooLarge(
                ImageSize(width: Int(min(width, 0x1p53)), height: Int(min(height, 0x1p53))))
        }
        return ImageSize(width: max(Int(width), 1), height: max(Int(height), 1))
    }
}
