/// Equidistant places along one axis of an image: `start + position × step`, where 0 is the first pixel.
struct SampledPlaces: Sendable {
    /// The first place.
    var start: Double
    /// The distance from one to the next.
    var step: Double

    /// The pixel before a place, and how far the place lies behind it, in units of 1/32.
    ///
    /// A place outside is brought near to the edge.
    func tap(_ position: Int, count: Int) -> (first: Int, part: Int32) {
        let place = (start + Double(position) * step) * 32
        let near = max(-32, min(place.rounded(.toNearestOrEven), Double(count) * 32))
        let whole = Int(near)
        return (whole >> 5, Int32(whole & 31))
    }
}

extension Image {
    /// The image at the places of these columns and rows, each interpolated between four pixels; a color lies beyond
    /// the edges. Places are rounded to 1/32 of a pixel.
    ///
    /// The pixels are those of OpenCV 4's `warpPerspective` with `INTER_LINEAR` and `BORDER_CONSTANT`. Source:
    /// `imgwarp.cpp` of https://github.com/opencv/opencv
    func sampled(
        _ across: SampledPlaces, _ columns: Range<Int>, _ down: SampledPlaces, _ rows: Range<Int>,
        border: SIMD3<UInt8>
    ) -> Image {
        let border = SIMD3<Int32>(truncatingIfNeeded: border)
        let horizontal = columns.map { across.tap($0, count: width) }
        let vertical = rows.map { down.tap($0, count: height) }
        return Image(ImageSize(width: columns.count, height: rows.count)) { result in
            pixels.withUnsafeBufferPointer { source in
                func pixel(_ column: Int, _ row: Int) -> SIMD3<Int32> {
                    guard column >= 0, column < width, row >= 0, row < height else { return border }
                    let start = (row * width + column) * 3
                    return SIMD3(Int32(source[start]), Int32(source[start + 1]), Int32(source[start + 2]))
                }
                var next = 0
                for (top, lowerWeight) in vertical {
                    for (left, rightWeight) in horizontal {
                        func mixed(_ row: Int) -> SIMD3<Int32> {
                            pixel(left, row) &* (32 - rightWeight) &+ pixel(left + 1, row) &* rightWeight
                        }
                        let sum = mixed(top) &* (32 - lowerWeight) &+ mixed(top + 1) &* lowerWeight &+ 512
                        for channel in 0..<3 { result[next + channel] = UInt8(clamping: sum[channel] >> 10) }
                        next += 3
                    }
                }
            }
        }
    }
}
