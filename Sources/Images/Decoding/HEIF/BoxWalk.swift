/// The outermost boxes of a file of ISO's base media format, such as HEIF and JP2.
///
/// Source: ISO/IEC 14496-12, section 4.2.
enum BoxWalk {
    /// The content of a box, by its type; the first of several.
    static func content(of type: String, in file: Bytes) throws(ImageError) -> Bytes? {
        var offset = 0
        while let box = try next(file, &offset) {
            if box.type == type { return box.content }
        }
        return nil
    }

    /// All boxes, in their order.
    static func boxes(in file: Bytes) throws(ImageError) -> [(type: String, content: Bytes)] {
        var boxes: [(type: String, content: Bytes)] = []
        var offset = 0
        while let box = try next(file, &offset) { boxes.append(box) }
        return boxes
    }

    /// Checks that the last box ends within the file.
    static func check(_ file: Bytes) throws(ImageError) {
        var offset = 0
        while try next(file, &offset) != nil {}
    }

    private static func next(_ file: Bytes, _ offset: inout Int) throws(ImageError) -> (type: String, content: Bytes)? {
        guard offset < file.count else { return nil }
        guard var length = file.integer(at: offset, byteCount: 4), let type = file.slice(offset + 4, count: 4) else {
            throw .truncated("the file ends within the header of a box")
        }
        var headerLength = 8
        if length == 1 {
            guard file.byte(offset + 8) == 0, let long = file.integer(at: offset + 9, byteCount: 7) else {
                throw .truncated("the file ends within the header of a box")
            }
            (length, headerLength) = (long, 16)
        }
        // 0 stands for the rest of the file.
        if length == 0 { length = file.count - offset }
        guard length >= headerLength else { throw .corrupt("a box declares a length of \(length)") }
        guard let content = file.slice(offset + headerLength, count: length - headerLength) else {
            throw .truncated("a box reaches beyond the end of the file")
        }
        offset += length
        return (String(decoding: type.buffer, as: UTF8.self), content)
    }
}
