extension Image {
    /// How a pixel of a warped image is taken from those around its place.
    public enum Interpolation: String, Sendable, Hashable, CaseIterable {
        /// The four pixels around it, linearly: OpenCV's `INTER_LINEAR`.
        case linear
        /// The sixteen pixels around it, by cubic convolution with a = -0.75: OpenCV's `INTER_CUBIC`.
        case cubic
        /// The four pixels around the place of its center, linearly and rounded down, and black where the center lies
        /// outside: Pillow's `BILINEAR` in `Image.transform`.
        case bilinear
    }

    /// The image seen through a map. Beyond the edges lie copies of the pixels at the edges.
    ///
    /// The weights are those at the exact place of each pixel, as those of `warpPerspective` with `BORDER_REPLICATE` in
    /// OpenCV 5.
    ///
    /// - Parameters:
    ///   - target: The size of the result.
    ///   - places: The place in this image of each pixel of the result.
    /// - Throws: ``ImageError/invalidSize(_:)`` and ``ImageError/tooLarge(_:maximumPixelCount:)``.
    public func warped(
        to target: ImageSize, by places: PerspectiveTransform, interpolation: Interpolation = .cubic,
        maximumPixelCount: Int = Image.defaultMaximumPixelCount
    ) throws(ImageError) -> Image {
        guard target.width > 0, target.height > 0 else { throw .invalidSize("an image cannot be warped to \(target)") }
        guard let count = target.pixelCount, count <= maximumPixelCount else {
            throw .tooLarge(target, maximumPixelCount: maximumPixelCount)
        }
        return Image(target) { result in
            pixels.withUnsafeBufferPointer { source in
                var next = 0
                for row in 0..<target.height {
                    for column in 0..<target.width {
                        if interpolation == .bilinear {
                            let center = PixelPoint(x: Double(column) + 0.5, y: Double(row) + 0.5)
                            let pixel = bilinear(source, at: places.applied(to: center))
                            (result[next], result[next + 1], result[next + 2]) = (pixel.x, pixel.y, pixel.z)
                            next += 3
                            continue
                        }
                        let place = places.applied(to: PixelPoint(x: Double(column), y: Double(row)))
                        interpolate(
                            source, at: place, interpolation, into: &result[next], &result[next + 1], &result[next + 2])
                        next += 3
                    }
                }
            }
        }
    }

    /// The pixel at a place, of which the center of a pixel has halves.
    private func bilinear(_ source: UnsafeBufferPointer<UInt8>, at place: PixelPoint) -> SIMD3<UInt8> {
        guard place.x >= 0, place.y >= 0, place.x < Double(width), place.y < Double(height) else { return .zero }
        let (x, y) = (place.x - 0.5, place.y - 0.5)
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        func pixel(_ column: Int, _ row: Int) -> SIMD3<Double> {
            let start = (min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)) * 3
            return SIMD3<Double>(SIMD3(source[start], source[start + 1], source[start + 2]))
        }
        func line(_ row: Int) -> SIMD3<Double> {
            let (first, second) = (pixel(Int(left), row), pixel(Int(left) + 1, row))
            return first + (second - first) * (x - left)
        }
        let upper = line(Int(top))
        let sum = upper + (line(Int(top) + 1) - upper) * (y - top)
        return SIMD3<UInt8>(clamping: SIMD3<Int32>(sum, rounding: .towardZero))
    }

    /// Interpolates the pixel at a place.
    private func interpolate(
        _ source: UnsafeBufferPointer<UInt8>, at place: PixelPoint, _ interpolation: Interpolation,
        into red: inout UInt8, _ green: inout UInt8, _ blue: inout UInt8
    ) {
        let x = Taps(at: place.x, count: width, interpolation)
        let y = Taps(at: place.y, count: height, interpolation)
        var sums = SIMD3<Float>.zero
        for row in 0..<4 {
            let start = y.positions[row] * width
            var line = SIMD3<Float>.zero
            for column in 0..<4 {
                let position = (start + x.positions[column]) * 3
                let pixel = SIMD3(source[position], source[position + 1], source[position + 2])
                line += SIMD3<Float>(pixel) * x.weights[column]
            }
            sums += line * y.weights[row]
        }
        let rounded = SIMD3<Int32>(sums.rounded(.toNearestOrEven))
        red = UInt8(clamping: rounded.x)
        green = UInt8(clamping: rounded.y)
        blue = UInt8(clamping: rounded.z)
    }
}

/// The four neighbours of a place along one axis, and their weights.
private struct Taps {
    var positions: SIMD4<Int>
    var weights: SIMD4<Float>

    /// A place that is no number, or lies far outside, has the pixel at the edge.
    init(at place: Double, count: Int, _ interpolation: Image.Interpolation) {
        let last = count - 1
        let inside = place > -4 ? min(place, Double(last) + 4) : -4
        let first = inside.rounded(.down)
        let t = Float(inside - first)
        let start = Int(first)
        positions = SIMD4(start - 1, start, start + 1, start + 2).clamped(
            lowerBound: .zero, upperBound: .init(repeating: last))
        guard interpolation == .cubic else {
            weights = SIMD4(0, 1 - t, t, 0)
            return
        }
        let a: Float = -0.75
        let outer = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
        let inner = ((a + 2) * t - (a + 3)) * t * t + 1
        let next = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1
        weights = SIMD4(outer, inner, next, 1 - outer - inner - next)
    }
}
