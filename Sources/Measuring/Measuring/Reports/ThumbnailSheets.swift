import FoundationEssentials
import Images

/// Thumbnails side by side in JPEG files of 256 each.
struct ThumbnailSheets: Sendable {
    /// The width and height of the place of a thumbnail in pixels.
    static let side = 96
    /// The number of places in a row, and of rows, of a sheet.
    static let columns = 16

    /// A thumbnail's number among all, and its size.
    struct Place {
        let number: Int
        let width: Int
        let height: Int
    }

    /// The files of all sheets that are full; after ``finish()`` of all.
    private(set) var sheets: [Data] = []
    private var count = 0
    private var pixels: [UInt8] = []

    private static let rowByteCount = side * columns * 3

    /// Adds a thumbnail of at most ``side`` pixels.
    mutating func add(_ image: Image) -> Place {
        if pixels.isEmpty { pixels = [UInt8](repeating: 255, count: Self.rowByteCount * Self.side * Self.columns) }
        let place = count % (Self.columns * Self.columns)
        let (row, column) = place.quotientAndRemainder(dividingBy: Self.columns)
        let (width, height) = (min(image.width, Self.side), min(image.height, Self.side))
        for y in 0..<height {
            let start = (row * Self.side + y) * Self.rowByteCount + column * Self.side * 3
            pixels.replaceSubrange(
                start..<start + width * 3, with: image.pixels[y * image.width * 3..<(y * image.width + width) * 3])
        }
        count += 1
        if count.isMultiple(of: Self.columns * Self.columns) { finish() }
        return Place(number: count - 1, width: width, height: height)
    }

    /// Encodes the sheet that is not full.
    mutating func finish() {
        guard !pixels.isEmpty else { return }
        let extent = Self.side * Self.columns
        // Where memory is short, thumbnails are missing.
        let file = (try? Image(width: extent, height: extent, pixels: pixels).jpegData(quality: 60)) ?? Data()
        sheets.append(file)
        pixels = []
    }
}
