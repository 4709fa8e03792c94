extension Image {
    /// The image at another size, with exactly the pixels of Pillow's `image.resize(size, filter)`, or of OpenCV's
    /// `resize` for ``ResamplingFilter/linear``. Those of OpenCV's other filters may differ by 1.
    ///
    /// When shrinking, Pillow's filters widen so that every source pixel counts, except for
    /// ``ResamplingFilter/nearest``.
    ///
    /// - Throws: ``ImageError/invalidSize(_:)`` when an extent is below 1, and
    ///   ``ImageError/tooLarge(_:maximumPixelCount:)``.
    public func resized(
        to target: ImageSize, filter: ResamplingFilter = .bicubic,
        maximumPixelCount: Int = Image.defaultMaximumPixelCount
    ) throws(ImageError) -> Image {
        guard target.width > 0, target.height > 0 else {
            throw .invalidSize("an image cannot be resized to \(target)")
        }
        guard let count = target.pixelCount, count <= maximumPixelCount else {
            throw .tooLarge(target, maximumPixelCount: maximumPixelCount)
        }
        return resampled(to: target, columns: 0..<target.width, rows: 0..<target.height, filter)
    }

    /// The part of the resized image that lies in `columns` and `rows`, which are not empty and lie inside `target`.
    ///
    /// Costs memory and time for that part only.
    func resampled(
        to target: ImageSize, columns: Range<Int>, rows: Range<Int>, _ filter: ResamplingFilter
    ) -> Image {
        if target == size { return cropped(columns: columns, rows: rows) }
        // Where one edge grows, areas are none, and both are interpolated.
        let grows = filter == .area && (width < target.width || height < target.height)
        if filter == .linear || grows {
            return linearlySampled(to: target, columns: columns, rows: rows, byParts: grows)
        }
        if [.cubic, .lanczos4, .area].contains(filter) {
            return tapSampled(to: target, columns: columns, rows: rows, filter)
        }
        if filter == .nearest { return sampled(to: target, columns: columns, rows: rows) }
        let horizontal =
            width == target.width
            ? nil : ResamplingWeights(filter, from: width, to: target.width, window: columns)
        let vertical =
            height == target.height
            ? nil : ResamplingWeights(filter, from: height, to: target.height, window: rows)
        switch (horizontal, vertical) {
        case (let horizontal?, let vertical?):
            if resizesRowsFirst(target) {
                let reach = horizontal.sourceRange
                return resizedVertically(vertical, columns: reach)
                    .resizedHorizontally(horizontal, firstColumn: reach.lowerBound, rows: 0..<rows.count)
            }
            let reach = vertical.sourceRange
            return resizedHorizontally(horizontal, rows: reach)
                .resizedVertically(vertical, columns: 0..<columns.count, firstRow: reach.lowerBound)
        case (let horizontal?, nil):
            return resizedHorizontally(horizontal, rows: rows)
        case (nil, let vertical?):
            return resizedVertically(vertical, columns: columns)
        case (nil, nil):
            return cropped(columns: columns, rows: rows)
        }
    }

    /// Whether the vertical pass runs first. The order affects rounding.
    ///
    /// Pillow 13 runs it first when the height shrinks by more than twice the columns that the width shrinks by;
    /// earlier versions never do.
    private func resizesRowsFirst(_ target: ImageSize) -> Bool {
        height > target.height && height - target.height > 2 * (width - target.width)
    }

    private func resizedHorizontally(_ weights: ResamplingWeights, firstColumn: Int = 0, rows: Range<Int>) -> Image {
        Image(ImageSize(width: weights.taps.count, height: rows.count)) { result in
            pixels.withUnsafeBufferPointer {
                ResamplingPass.horizontal(
                    $0, width: width, firstColumn: firstColumn, rows: rows, weights, into: result)
            }
        }
    }

    private func resizedVertically(_ weights: ResamplingWeights, columns: Range<Int>, firstRow: Int = 0) -> Image {
        Image(ImageSize(width: columns.count, height: weights.taps.count)) { result in
            pixels.withUnsafeBufferPointer {
                ResamplingPass.vertical(
                    $0, width: width, firstRow: firstRow, columns: columns, weights, into: result)
            }
        }
    }

    /// The part of the image in `columns` and `rows`, which lie inside it.
    func cropped(columns: Range<Int>, rows: Range<Int>) -> Image {
        if columns == 0..<width, rows == 0..<height { return self }
        let rowLength = columns.count * 3
        return Image(ImageSize(width: columns.count, height: rows.count)) { result in
            pixels.withUnsafeBufferPointer { source in
                for (index, row) in rows.enumerated() {
                    let start = (row * width + columns.lowerBound) * 3
                    _ = UnsafeMutableBufferPointer(rebasing: result[index * rowLength..<(index + 1) * rowLength])
                        .update(fromContentsOf: source[start..<start + rowLength])
                }
            }
        }
    }
}
