/// The structure of a GIF file: where its frames and palettes lie.
///
/// Source: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
struct GIFFile {
    /// What happens to a frame's rectangle before the next frame is drawn.
    enum Disposal: Int {
        case unspecified, keep, background, previous
    }

    struct Frame {
        let (left, top): (Int, Int)
        let size: ImageSize
        let isInterlaced: Bool
        /// The place of the palette: that of the frame, or that of the file; nil where there is none.
        let palette: Range<Int>?
        let transparentIndex: UInt8?
        let disposal: Disposal
        /// The offset of the compressed indices.
        let dataOffset: Int
    }

    /// The size that the file declares, which frames may exceed.
    let screen: ImageSize
    let frames: [Frame]
    let backgroundIndex: UInt8
    /// The error that ended the list of frames.
    let damage: ImageError?

    init(_ file: Bytes) throws(ImageError) {
        func integer(_ offset: Int) -> Int? { file.integer(at: offset, byteCount: 2, bigEndian: false) }
        guard let width = integer(6), let height = integer(8), let flags = file.byte(10),
            let background = file.byte(11), file.count >= 13
        else { throw .truncated("the header is incomplete") }
        screen = ImageSize(width: width, height: height)
        backgroundIndex = background
        var offset = 13
        let palette = Self.palette(flags, &offset)
        var walk = Walk(file: file, offset: offset, filePalette: palette)
        do throws(ImageError) {
            while try walk.next() {}
            damage = nil
        } catch {
            damage = error
        }
        frames = walk.frames
    }

    /// The palette that a descriptor's flags announce at `offset`, which moves behind it.
    private static func palette(_ flags: UInt8, _ offset: inout Int) -> Range<Int>? {
        guard flags & 0x80 != 0 else { return nil }
        let count = 3 << (Int(flags & 7) + 1)
        defer { offset += count }
        return offset..<offset + count
    }

    /// Reads one block after the other.
    private struct Walk {
        let file: Bytes
        var offset: Int
        let filePalette: Range<Int>?
        var frames: [Frame] = []
        var transparentIndex: UInt8?
        var disposal = Disposal.unspecified

        /// - Returns: Whether more blocks may follow.
        mutating func next() throws(ImageError) -> Bool {
            guard let kind = file.byte(offset) else { throw .truncated("the file ends before its trailer") }
            offset += 1
            switch kind {
            case 0x21: try readExtension()
            case 0x2C: try readFrame()
            case 0x3B: return false
            // Pillow and browsers pass over bytes between blocks.
            default: break
            }
            return true
        }

        private mutating func readExtension() throws(ImageError) {
            if file.byte(offset) == 0xF9, file.byte(offset + 1) == 4, let flags = file.byte(offset + 2),
                let index = file.byte(offset + 5)
            {
                transparentIndex = flags & 1 == 1 ? index : nil
                // A frame that says nothing keeps the disposal of the one before, as in Pillow.
                if let said = Disposal(rawValue: Int(flags >> 2 & 7)), said != .unspecified { disposal = said }
            }
            offset += 1
            try passOverBlocks()
        }

        private mutating func readFrame() throws(ImageError) {
            func integer(_ place: Int) -> Int? { file.integer(at: offset + place, byteCount: 2, bigEndian: false) }
            guard let left = integer(0), let top = integer(2), let width = integer(4), let height = integer(6),
                let flags = file.byte(offset + 8)
            else { throw .truncated("the file ends within a frame's header") }
            offset += 9
            let palette = GIFFile.palette(flags, &offset) ?? filePalette
            frames.append(
                Frame(
                    left: left, top: top, size: ImageSize(width: width, height: height),
                    isInterlaced: flags & 0x40 != 0, palette: palette, transparentIndex: transparentIndex,
                    disposal: disposal, dataOffset: offset))
            transparentIndex = nil
            offset += 1
            try passOverBlocks()
        }

        /// Passes over blocks that begin with their length, up to an empty one.
        private mutating func passOverBlocks() throws(ImageError) {
            while let length = file.byte(offset) {
                offset += 1 + Int(length)
                if length == 0 { return }
            }
            throw .truncated("the file ends within a block")
        }
    }
}
