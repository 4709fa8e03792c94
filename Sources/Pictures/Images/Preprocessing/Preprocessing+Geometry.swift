extension Preprocessing {
    /// The position of an image along one axis of the tensor.
    struct Axis: Sendable {
        /// The extent the whole image is resized to.
        var resized: Int
        /// The part of the resized image that is kept.
        var visible: Range<Int>
        /// The position in the result where that part begins.
        var origin = 0
        /// The extent of the result.
        var extent: Int
        /// The extent that maps points back to the picture, where that is not `resized` but the unrounded extent.
        var mappedExtent: Double?
        /// The distance from ``origin`` to the picture's start when points are mapped back.
        var mappedShift = 0.0
        /// The places of the picture that pixels of the result show, where it is not resized to whole numbers.
        var places: SampledPlaces?

        init(resized: Int) {
            self.resized = resized
            visible = 0..<resized
            extent = resized
        }

        /// Adds pixels behind the last until the extent is a multiple.
        mutating func extend(toMultipleOf multiple: Int) {
            let rest = extent % multiple
            if rest > 0 { extent += multiple - rest }
        }

        /// Keeps `target` pixels from the middle.
        mutating func crop(to target: Int, _ rounding: CropRounding) {
            if target > extent {
                origin += (target - extent + (rounding == .down ? 1 : 0)) / 2
            } else {
                var start = (extent - target) / 2
                if rounding == .torchvision, (extent - target) % 2 == 1, start % 2 == 1 { start += 1 }
                let lower = min(max(start - origin, 0), resized)
                visible = lower..<max(lower, min(resized, start + target - origin))
                origin = max(origin - start, 0)
            }
            extent = target
        }
    }

    /// The position of a picture of one size in the tensor, and the size of what is made of it.
    package struct Geometry: Sendable {
        let x: Axis
        let y: Axis
        /// The size of the result, with the padding.
        package let outputSize: ImageSize
        /// The square in which the picture lies before it is resized.
        var frame: Frame?

        /// The geometry of the steps behind the crop for the picture that ``placed(_:_:)`` gives.
        package var afterPlacing: Geometry {
            Geometry(x: Axis(resized: x.extent), y: Axis(resized: y.extent), outputSize: outputSize)
        }
    }

    /// The position of a picture of `size` in the tensor. It is computed once for a picture, for everything that is
    /// made of it.
    ///
    /// - Throws: ``PreprocessingError`` when the steps contradict one another, or the result would be too large.
    package func geometry(for size: ImageSize) throws(PreprocessingError) -> Geometry {
        try validate()
        guard size.pixelCount != nil else { throw .invalid(key: "image", reason: "cannot have the size \(size)") }
        if let squareBorder {
            let frame = squareBorder.frame(of: size)
            guard let count = frame.square.pixelCount, count <= Image.defaultMaximumPixelCount else {
                throw .tooLarge(frame.square)
            }
            return try geometry(in: frame)
        }
        if case .middleSquare = resizing, size.width != size.height { return try geometry(in: .middle(of: size)) }
        let (x, y) = try axes(for: size)
        let line = try lineExtent(of: size)
        guard let padding = padding ?? line else {
            return Geometry(x: x, y: y, outputSize: ImageSize(width: x.extent, height: y.extent))
        }
        guard padding.width >= x.extent, padding.height >= y.extent else {
            throw .invalid(key: "pad_size", reason: "is \(padding), smaller than the image of \(x.extent)x\(y.extent)")
        }
        guard let count = padding.pixelCount, count <= Image.defaultMaximumPixelCount else { throw .tooLarge(padding) }
        return Geometry(x: x, y: y, outputSize: padding)
    }

    /// The geometry of the steps for the square of a frame, with the frame.
    private func geometry(in frame: Frame) throws(PreprocessingError) -> Geometry {
        var steps = self
        steps.squareBorder = nil
        var geometry = try steps.geometry(for: frame.square)
        geometry.frame = frame
        return geometry
    }

    /// The size of the result for a line of text; nil for other pictures.
    private func lineExtent(of size: ImageSize) throws(PreprocessingError) -> ImageSize? {
        guard case .line(let line) = resizing, crop == nil else { return nil }
        return ImageSize(width: try line.widths(of: size).result, height: line.height)
    }

    /// The position of an image of `size` in the tensor, without padding.
    private func axes(for size: ImageSize) throws(PreprocessingError) -> (x: Axis, y: Axis) {
        var (x, y): (Axis, Axis)
        if case .letterbox(let target, _, let letterbox) = resizing {
            (x, y) = try letterbox.axes(of: size, in: target)
        } else {
            let resized = try resizedSize(for: size)
            (x, y) = (Axis(resized: resized.width), Axis(resized: resized.height))
        }
        if let crop {
            x.crop(to: crop.width, cropRounding)
            y.crop(to: crop.height, cropRounding)
        }
        if borderMultiple > 1 {
            x.extend(toMultipleOf: borderMultiple)
            y.extend(toMultipleOf: borderMultiple)
            if case .within(let target) = resizing, crop == nil {
                let scale = min(
                    Double(target.height) / Double(size.height), Double(target.width) / Double(size.width))
                (x.mappedExtent, y.mappedExtent) = (Double(size.width) * scale, Double(size.height) * scale)
            }
        }
        let result = ImageSize(width: x.extent, height: y.extent)
        guard let count = result.pixelCount, count <= Image.defaultMaximumPixelCount else { throw .tooLarge(result) }
        return (x, y)
    }

    /// The image after resize and crop, before numbers are made.
    ///
    /// - Parameter geometry: What ``geometry(for:)`` returns for the image's size.
    package func placed(_ image: Image, _ geometry: Geometry) -> Image {
        var source = image
        if let frame = geometry.frame {
            source = squareBorder.map { $0.image(of: image, in: frame) } ?? frame.part(of: image)
        }
        if channelOrder.isGray { source = source.grey }
        let (x, y) = (geometry.x, geometry.y)
        let extent = ImageSize(width: x.extent, height: y.extent)
        var part: Image?
        if !x.visible.isEmpty, !y.visible.isEmpty {
            let visible = resized(source, geometry)
            if visible.size == extent { return visible }
            part = visible
        }
        return Image(extent) { result in
            let color = background
            for pixel in 0..<x.extent * y.extent {
                result[pixel * 3] = color.red
                result[pixel * 3 + 1] = color.green
                result[pixel * 3 + 2] = color.blue
            }
            guard let part else { return }
            part.pixels.withUnsafeBufferPointer { pixels in
                for row in 0..<part.height {
                    let start = ((y.origin + row) * x.extent + x.origin) * 3
                    _ = UnsafeMutableBufferPointer(rebasing: result[start..<start + part.width * 3])
                        .update(fromContentsOf: pixels[row * part.width * 3..<(row + 1) * part.width * 3])
                }
            }
        }
    }

    /// The part of a picture that is kept, at its size in the result.
    private func resized(_ source: Image, _ geometry: Geometry) -> Image {
        let (x, y) = (geometry.x, geometry.y)
        if let across = x.places, let down = y.places {
            let color = background
            return source.sampled(
                across, x.visible, down, y.visible, border: SIMD3(color.red, color.green, color.blue))
        }
        let size = ImageSize(width: x.resized, height: y.resized)
        return source.resampled(to: size, columns: x.visible, rows: y.visible, filter)
    }

    private var background: Color {
        guard case .letterbox(_, let color, _) = resizing else { return .black }
        if !channelOrder.isGray { return color }
        let luma = Image.luma(color.red, color.green, color.blue)
        return Color(red: luma, green: luma, blue: luma)
    }
}

extension Image {
    /// The luma of ITU-R BT.601 in fixed point, as Pillow computes mode `L`.
    static func luma(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
        let sum: UInt32 = UInt32(red) * 19595 + UInt32(green) * 38470 + UInt32(blue) * 7471
        return UInt8((sum + 0x8000) >> 16)
    }

    /// The image with its luma in all three channels.
    var grey: Image {
        Image(size) { result in
            pixels.withUnsafeBufferPointer { source in
                for first in stride(from: 0, to: source.count, by: 3) {
                    let luma = Self.luma(source[first], source[first + 1], source[first + 2])
                    (result[first], result[first + 1], result[first + 2]) = (luma, luma, luma)
                }
            }
        }
    }
}
