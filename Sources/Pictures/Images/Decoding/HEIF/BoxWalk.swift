/// The outermost boxes of a file of ISO's base media format, such as HEIF and JP2.
///
/// Source: ISO/IEC 14496-12, section 4.2.
enum BoxWalk {
    struct Box {
        let type: String
        /// The bytes of the type, as an integer.
        let code: Int
        let content: Bytes
        /// Where its header begins.
        let start: Int
    }

    /// The content of a box, by its type; the first of several.
    static func content(of type: String, in file: Bytes) throws(ImageError) -> Bytes? {
        var offset = 0
        while let box = try next(file, &offset) {
            if box.type == type { return box.content }
        }
        return nil
    }

    /// All boxes, in their order.
    static func boxes(in file: Bytes) throws(ImageError) -> [Box] {
        var boxes: [Box] = []
        var offset = 0
        while let box = try next(file, &offset) { boxes.append(box) }
        return boxes
    }

    /// The whole boxes at the beginning of a file, and what is wrong with the bytes behind them.
    static func wholeBoxes(of file: Bytes) -> (file: Bytes, failure: ImageError?) {
        var end = 0
        do throws(ImageError) {
            var offset = 0
            while try next(file, &offset) != nil { end = offset }
            return (file, nil)
        } catch {
            return (file.slice(0, count: end) ?? file, error)
        }
    }

    private static func next(_ file: Bytes, _ offset: inout Int) throws(ImageError) -> Box? {
        guard offset < file.count else { return nil }
        guard var length = file.integer(at: offset, byteCount: 4), let type = file.slice(offset + 4, count: 4),
            let code = type.integer(at: 0, byteCount: 4)
        else {
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
        defer { offset += length }
        let name = String(decoding: type.buffer, as: UTF8.self)
        return Box(type: name, code: code, content: content, start: offset)
    }
}
