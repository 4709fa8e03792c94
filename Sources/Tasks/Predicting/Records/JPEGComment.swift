import FoundationEssentials

/// The comment by which a JPEG file of a record is recognised: a text, then 32 digits, a digest of the record's id.
package struct JPEGComment {
    package let text: String

    package init(text: String) { self.text = text }

    /// The segment of the comment without the digits: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.4.5
    package var mark: [UInt8] { [0xFF, 0xFE, 0, UInt8(2 + text.utf8.count + 32)] + Array(text.utf8) }

    /// Inserts the comment into a JPEG file, after its first segment, which is that of JFIF.
    package func inserted(into file: Data, id: String) -> Data {
        let bytes = [UInt8](file.prefix(6))
        let hasFirst = bytes.count == 6 && bytes[2] == 0xFF && bytes[3] == 0xE0
        let place = min(file.count, hasFirst ? 4 + Int(bytes[4]) << 8 + Int(bytes[5]) : 2)
        return file.prefix(place) + Data(mark) + Data(RecordFolder.digest(of: id).utf8) + file.dropFirst(place)
    }
}
