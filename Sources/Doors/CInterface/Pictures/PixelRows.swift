import Apus

/// Rows of pixels of 8 bits: gray, red, green and blue, or these with alpha.
struct PixelRows {
    private let bytes: UnsafeRawBufferPointer
    private let size: ImageSize
    private let channels: Int
    /// The distance between rows in bytes.
    private let stride: Int

    /// - Parameter stride: 0 where rows follow one another.
    /// - Throws: ``InterfaceError`` when the bytes are fewer than the rows, or the extents are impossible.
    init(
        _ bytes: UnsafeRawBufferPointer, width: Int64, height: Int64, channels: Int32, stride: Int
    ) throws(InterfaceError) {
        let edges = 1...Int64(Image.maximumEdge)
        guard edges.contains(width), edges.contains(height) else {
            throw .argument("a picture cannot have the size \(width)x\(height)", code: "size")
        }
        guard [1, 3, 4].contains(channels) else {
            throw .argument("pixels have 1, 3 or 4 numbers, not \(channels)", code: "channels")
        }
        let rowLength = Int(width) * Int(channels)
        guard stride == 0 || stride >= rowLength, stride <= Int.max >> 20 else {
            throw .argument("rows of \(rowLength) bytes cannot lie \(stride) bytes apart", code: "stride")
        }
        self.bytes = bytes
        self.channels = Int(channels)
        self.stride = stride == 0 ? rowLength : stride
        size = ImageSize(width: Int(width), height: Int(height))
        let needed = (Int(height) - 1) * self.stride + rowLength
        guard bytes.count >= needed else {
            throw .argument("\(size) pixels take \(needed) bytes, but there are \(bytes.count)", code: "length")
        }
    }

    /// The picture in RGB. Alpha is ignored.
    func image() throws -> Image {
        guard size.pixelCount.map({ $0 <= Image.defaultMaximumPixelCount }) ?? false else {
            throw InterfaceError.argument("a picture of \(size) is too large", code: "size")
        }
        let rowLength = size.width * 3
        let count = rowLength * size.height
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { pixels, initialized in
            for row in 0..<size.height {
                write(row, to: UnsafeMutableBufferPointer(rebasing: pixels[(row * rowLength)...]))
            }
            initialized = count
        }
        return try Image(width: size.width, height: size.height, pixels: pixels)
    }

    /// Writes red, green and blue of a row's pixels.
    private func write(_ row: Int, to pixels: UnsafeMutableBufferPointer<UInt8>) {
        let source = UnsafeRawBufferPointer(rebasing: bytes[(row * stride)...])
        if channels == 3 {
            UnsafeMutableRawBufferPointer(pixels).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: source[..<(size.width * 3)]))
            return
        }
        for column in 0..<size.width {
            let place = column * channels
            for channel in 0..<3 { pixels[column * 3 + channel] = source[place + (channels == 1 ? 0 : channel)] }
        }
    }
}
