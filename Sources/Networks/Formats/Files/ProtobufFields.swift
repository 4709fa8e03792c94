/// Walks the outermost fields of a serialized protobuf message without decoding their values.
///
/// Protobuf formats have no magic number; the numbers and wire types of their outermost fields distinguish them.
struct ProtobufFields {
    enum Wire: UInt64 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case fixed32 = 5
    }

    struct Field {
        let number: Int
        let wire: Wire
        /// The position of the field, tag included.
        let range: Range<Int>
        /// The position of its value, without the length.
        let value: Range<Int>
    }

    /// The way in which the walk ended.
    enum End {
        case complete
        /// The message ended within a field.
        case cutShort
        /// Bytes that are not protobuf follow.
        case malformed
    }

    private(set) var end = End.complete
    private let content: ModelContent
    private var position: Int
    private let limit: Int
    /// The bytes around the position, beginning at ``windowStart``.
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowByteCount = 4096

    /// Walks the message in a part of `content`.
    init(_ content: ModelContent, _ range: Range<Int>) {
        self.content = content
        position = range.lowerBound
        limit = range.upperBound
    }

    /// Returns the next field; nil at the end, whose kind ``end`` tells.
    ///
    /// - Throws: ``FormatError/unreadable(_:)`` when the file cannot be read.
    mutating func next() throws(FormatError) -> Field? {
        let start = position
        guard end == .complete, position < limit, let tag = try varint() else { return nil }
        guard let wire = Wire(rawValue: tag & 7), (1...536_870_911).contains(tag >> 3) else {
            end = .malformed
            return nil
        }
        var value = position..<position
        switch wire {
        case .varint: _ = try varint()
        case .fixed64: skip(8)
        case .fixed32: skip(4)
        case .lengthDelimited:
            guard let length = try varint() else { break }
            let first = position
            skip(length)
            value = first..<position
        }
        if end == .malformed { return nil }
        if wire != .lengthDelimited { value = value.lowerBound..<position }
        return Field(number: Int(tag >> 3), wire: wire, range: start..<position, value: value)
    }

    private mutating func skip(_ count: UInt64) {
        if count <= UInt64(limit - position) {
            position += Int(count)
        } else {
            position = limit
            end = .cutShort
        }
    }

    private mutating func varint() throws(FormatError) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < limit else {
                end = .cutShort
                return nil
            }
            let byte = try byte()
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        end = .malformed
        return nil
    }

    /// The byte at the position.
    private mutating func byte() throws(FormatError) -> UInt8 {
        if !(windowStart..<windowStart + window.count).contains(position) {
            windowStart = position
            window = [UInt8](try content.bytes(position..<min(position + Self.windowByteCount, limit)))
        }
        return window[position - windowStart]
    }
}
