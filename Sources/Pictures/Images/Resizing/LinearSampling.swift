extension Image {
    /// The part in `columns` and `rows` of the image at size `target`, interpolated between the two columns and two
    /// rows around each pixel's center, even when shrinking. The pixels are exactly those of OpenCV's `resize` with
    /// `INTER_LINEAR`.
    ///
    /// With `byParts`, the weights are instead the parts of both that a pixel of the result covers, as with
    /// `INTER_AREA` where an edge grows.
    ///
    /// Weights are multiples of 2⁻¹¹. When both extents are halved exactly, a pixel is the mean of four pixels.
    /// Source: `resize.cpp` of https://github.com/opencv/opencv
    func linearlySampled(
        to target: ImageSize, columns: Range<Int>, rows: Range<Int>, byParts: Bool = false
    ) -> Image {
        if width == 2 * target.width, height == 2 * target.height { return halved(columns: columns, rows: rows) }
        let horizontal = LinearTap.all(
            from: width, to: target.width, window: columns, byParts: byParts, zeroesAtEdges: true)
        let vertical = LinearTap.all(
            from: height, to: target.height, window: rows, byParts: byParts, zeroesAtEdges: false)
        let rowLength = columns.count * 3
        return Image(ImageSize(width: columns.count, height: rows.count)) { result in
            pixels.withUnsafeBufferPointer { source in
                // The last two interpolated rows, with their indices.
                var mixed: [(row: Int, sums: [Int32])] = [
                    (-1, [Int32](repeating: 0, count: rowLength)), (-1, [Int32](repeating: 0, count: rowLength)),
                ]
                for (index, tap) in vertical.enumerated() {
                    if mixed[0].row != tap.first { mixed.swapAt(0, 1) }
                    if mixed[0].row != tap.first { mix(source, row: tap.first, horizontal, into: &mixed[0]) }
                    if mixed[1].row != tap.second { mix(source, row: tap.second, horizontal, into: &mixed[1]) }
                    let line = UnsafeMutableBufferPointer(
                        rebasing: result[index * rowLength..<(index + 1) * rowLength])
                    mixed[0].sums.withUnsafeBufferPointer { upper in
                        mixed[1].sums.withUnsafeBufferPointer { lower in
                            for position in 0..<rowLength {
                                let sum =
                                    (tap.firstWeight * (upper[position] >> 4)) >> 16
                                    + (tap.secondWeight * (lower[position] >> 4)) >> 16
                                line[position] = UInt8(clamping: (sum + 2) >> 2)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Interpolates the columns of one row.
    private func mix(
        _ source: UnsafeBufferPointer<UInt8>, row: Int, _ taps: [LinearTap], into mixed: inout (row: Int, sums: [Int32])
    ) {
        mixed.row = row
        let start = row * width * 3
        mixed.sums.withUnsafeMutableBufferPointer { sums in
            for (column, tap) in taps.enumerated() {
                let (first, second) = (start + tap.first * 3, start + tap.second * 3)
                for channel in 0..<3 {
                    sums[column * 3 + channel] =
                        Int32(source[first + channel]) * tap.firstWeight
                        + Int32(source[second + channel]) * tap.secondWeight
                }
            }
        }
    }

    private func halved(columns: Range<Int>, rows: Range<Int>) -> Image {
        let stride = width * 3
        return Image(ImageSize(width: columns.count, height: rows.count)) { result in
            pixels.withUnsafeBufferPointer { source in
                var next = 0
                for row in rows {
                    for column in columns {
                        let start = 2 * row * stride + 6 * column
                        for position in start..<start + 3 {
                            let sum =
                                UInt16(source[position]) + UInt16(source[position + 3])
                                + UInt16(source[position + stride]) + UInt16(source[position + stride + 3])
                            result[next] = UInt8((sum + 2) >> 2)
                            next += 1
                        }
                    }
                }
            }
        }
    }
}

/// The two neighbours of a pixel's center along one axis, and their weights in units of 2⁻¹¹.
private struct LinearTap {
    var first: Int
    var second: Int
    var firstWeight: Int32
    var secondWeight: Int32

    private static let one: Float = 2048

    /// The taps of the target positions in `window`.
    ///
    /// - Parameter zeroesAtEdges: Whether, beyond the outermost centers, the neighbour inside the image has all the
    ///   weight. Otherwise both neighbours are that one, which rounds differently.
    static func all(
        from source: Int, to target: Int, window: Range<Int>, byParts: Bool, zeroesAtEdges: Bool
    ) -> [LinearTap] {
        let inverse = Double(target) / Double(source)
        let scale = 1 / inverse
        return window.map { position in
            var (first, part): (Int, Float)
            if byParts {
                first = Int((Double(position) * scale).rounded(.down))
                let exact = Float(Double(position + 1) - Double(first + 1) * inverse)
                part = exact <= 0 ? 0 : exact - exact.rounded(.down)
            } else {
                let center = Float((Double(position) + 0.5) * scale - 0.5)
                first = Int(center.rounded(.down))
                part = center - Float(first)
            }
            if zeroesAtEdges, first < 0 || first >= source - 1 {
                (first, part) = (first < 0 ? 0 : source - 1, 0)
            }
            return LinearTap(
                first: min(max(first, 0), source - 1), second: min(max(first + 1, 0), source - 1),
                firstWeight: Int32(((1 - part) * one).rounded(.toNearestOrEven)),
                secondWeight: Int32((part * one).rounded(.toNearestOrEven)))
        }
    }
}
