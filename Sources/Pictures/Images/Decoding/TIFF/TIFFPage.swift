import CPictures

/// A page of an open TIFF file.
final class TIFFPage {
    /// What the page's directory says.
    let fields: apus_tiff_page

    private let functions: apus_tiff
    private let file: UnsafeMutablePointer<apus_tiff_file>

    /// The maximum bytes of a decoded strip or tile, and of any allocation of the library.
    private static let maximumBlockBytes = 512 << 20

    init(_ bytes: Bytes, directoryAt offset: Int, _ functions: apus_tiff) throws(ImageError) {
        self.functions = functions
        file = .allocate(capacity: 1)
        var fields = apus_tiff_page()
        let isRead = withUnsafePointer(to: functions) { [file] table in
            apus_tiff_open(
                table, file, bytes.buffer.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                Self.maximumBlockBytes, UInt64(offset)) != 0
        }
        if isRead { withUnsafePointer(to: functions) { [file] in apus_tiff_read_page($0, file, &fields) } }
        self.fields = fields
        guard isRead else { throw error("the directory of the page cannot be read") }
        guard fields.width > 0, fields.height > 0 else { throw .corrupt("the page has no size") }
    }

    deinit {
        withUnsafePointer(to: functions) { apus_tiff_close($0, file) }
        file.deallocate()
    }

    var size: ImageSize { ImageSize(width: Int(fields.width), height: Int(fields.height)) }

    /// The orientation of the directory's tag, or else of XMP.
    var orientation: Orientation {
        // A value that is no orientation stands for upright pixels, as in Pillow.
        if file.pointee.has_invalid_orientation != 0 { return .upright }
        if fields.has_orientation != 0 { return Orientation(rawValue: Int(fields.orientation)) ?? .upright }
        return fields.xmp.flatMap {
            Orientation(xmp: Bytes(UnsafeRawBufferPointer(start: $0, count: Int(fields.xmp_count))))
        } ?? .upright
    }

    var colorProfile: [UInt8]? {
        fields.profile.map { Array(UnsafeBufferPointer(start: $0, count: Int(fields.profile_count))) }
    }

    /// What the library said about tags that the pixels do not need.
    var warning: String? {
        let text = Self.text(&file.pointee.warning)
        return text.isEmpty ? nil : text
    }

    private static func text<Content>(_ content: inout Content) -> String {
        withUnsafeBytes(of: &content) { buffer in
            String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self).onOneLine
        }
    }

    /// The library's first error, or another when it said none.
    private func error(_ otherwise: String) -> ImageError {
        let text = Self.text(&file.pointee.message)
        if text.contains("Read error") || text.contains("ead at scanline") || text.contains("beyond") {
            return .truncated(text)
        }
        return text.contains("ut of memory") ? .outOfMemory : .corrupt(text.isEmpty ? otherwise : text)
    }

    /// The page as the library converts it to red, green and blue.
    func convertedImage() throws(ImageError) -> Image {
        var pixels = [UInt32](repeating: 0, count: size.width * size.height)
        let status = functions.TIFFReadRGBAImageOriented(
            file.pointee.file, fields.width, fields.height, &pixels, Int32(max(1, fields.orientation)), 1)
        guard status != 0, file.pointee.message.0 == 0 else { throw error("the pixels cannot be decoded") }
        return Image(size) { target in
            for (index, pixel) in pixels.enumerated() {
                for channel in 0..<3 {
                    target[index * 3 + channel] = UInt8(truncatingIfNeeded: pixel >> UInt32(8 * channel))
                }
            }
        }
    }

    /// The page, read strip by strip or tile by tile.
    func image(_ samples: TIFFSamples) throws(ImageError) -> Image {
        let blocks = try TIFFBlocks(fields, samples)
        let palette = palette
        return try Image(size) { (target) throws(ImageError) in
            for row in 0..<blocks.rows {
                for column in 0..<blocks.columns {
                    var planes: [[UInt8]] = []
                    for plane in 0..<samples.planeCount {
                        planes.append(try content(of: blocks.index(plane, row, column), blocks.byteCount(row)))
                    }
                    blocks.place(planes, row, column, palette, in: target)
                }
            }
        }
    }

    private func content(of block: Int, _ byteCount: Int) throws(ImageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let read = fields.is_tiled != 0 ? functions.TIFFReadEncodedTile : functions.TIFFReadEncodedStrip
        guard let read, read(file.pointee.file, UInt32(clamping: block), &bytes, byteCount) == byteCount,
            file.pointee.message.0 == 0
        else { throw error("the pixels of a strip or tile cannot be decoded") }
        return bytes
    }

    /// Red, green, blue of every index; the high bytes of 16 bits.
    private var palette: [UInt8] {
        guard let red = fields.red, let green = fields.green, let blue = fields.blue, fields.bits <= 8 else {
            return []
        }
        return (0..<1 << Int(fields.bits)).flatMap { index in
            [red, green, blue].map { UInt8($0[index] >> 8) }
        }
    }

    /// The strips or tiles of the page.
    private struct TIFFBlocks {
        let rows: Int
        let columns: Int
        private let width: Int
        private let height: Int
        private let size: ImageSize
        private let samples: TIFFSamples
        private let isTiled: Bool

        init(_ page: apus_tiff_page, _ samples: TIFFSamples) throws(ImageError) {
            self.samples = samples
            size = ImageSize(width: Int(page.width), height: Int(page.height))
            isTiled = page.is_tiled != 0
            width = Int(page.block_width)
            height = isTiled ? Int(page.block_height) : min(Int(page.block_height), size.height)
            guard width > 0, height > 0 else { throw .corrupt("a strip or tile has no size") }
            rows = (size.height - 1) / height + 1
            columns = (size.width - 1) / width + 1
            let expected = samples.rowByteCount(width).multipliedReportingOverflow(by: height)
            guard !expected.overflow, expected.partialValue <= TIFFPage.maximumBlockBytes else {
                throw .tooMuchMemory(size, byteCount: expected.partialValue, limit: TIFFPage.maximumBlockBytes)
            }
            guard page.block_bytes == expected.partialValue,
                Int(page.block_count) >= rows * columns * samples.planeCount
            else { throw .corrupt("the strips or tiles do not cover the page") }
        }

        func index(_ plane: Int, _ row: Int, _ column: Int) -> Int { (plane * rows + row) * columns + column }

        private func rowCount(_ row: Int) -> Int { min(height, size.height - row * height) }

        /// The bytes of a decoded block. The last strip may have fewer rows.
        func byteCount(_ row: Int) -> Int { samples.rowByteCount(width) * (isTiled ? height : rowCount(row)) }

        func place(
            _ planes: [[UInt8]], _ row: Int, _ column: Int, _ palette: [UInt8],
            in target: UnsafeMutableBufferPointer<UInt8>
        ) {
            let usedWidth = min(width, size.width - column * width)
            let rowByteCount = samples.rowByteCount(width)
            for line in 0..<rowCount(row) {
                let start = ((row * height + line) * size.width + column * width) * 3
                let bytes = UnsafeMutableBufferPointer(rebasing: target[start..<start + usedWidth * 3])
                Self.withRows(planes, line * rowByteCount..<(line + 1) * rowByteCount) { rows in
                    samples.write(rows, width: usedWidth, palette: palette, to: bytes)
                }
            }
        }

        /// Lends the same range of bytes of all planes.
        private static func withRows(
            _ planes: [[UInt8]], _ range: Range<Int>, _ found: [UnsafeRawBufferPointer] = [],
            _ body: ([UnsafeRawBufferPointer]) -> Void
        ) {
            guard found.count < planes.count else { return body(found) }
            planes[found.count].withUnsafeBytes { buffer in
                withRows(planes, range, found + [UnsafeRawBufferPointer(rebasing: buffer[range])], body)
            }
        }
    }
}
