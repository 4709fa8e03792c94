#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Walks the outermost fields of a serialized protobuf message without reading what they hold.
///
/// Formats that are protobuf have no magic number; the numbers and kinds of their outermost fields tell them apart.
struct ProtobufFields: Sequence, IteratorProtocol {
    enum Wire: UInt64 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case fixed32 = 5
    }

    struct Field {
        let number: Int
        let wire: Wire
    }

    private let content: Data
    private var position: Data.Index
    /// Whether the walk ended at bytes that are no protobuf; content that is merely cut short does not count.
    private(set) var isMalformed = false

    init(_ content: Data) {
        self.content = content
        position = content.startIndex
    }

    mutating func next() -> Field? {
        guard position < content.endIndex, let tag = varint() else { return nil }
        guard let wire = Wire(rawValue: tag & 7), (1...536_870_911).contains(tag >> 3) else {
            isMalformed = true
            return nil
        }
        switch wire {
        case .varint: _ = varint()
        case .fixed64: skip(8)
        case .fixed32: skip(4)
        case .lengthDelimited: if let length = varint() { skip(length) }
        }
        return isMalformed ? nil : Field(number: Int(tag >> 3), wire: wire)
    }

    private mutating func skip(_ count: UInt64) {
        let remaining = content.endIndex - position
        position = count < UInt64(remaining) ? position + Int(count) : content.endIndex
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < content.endIndex else { return nil }
            let byte = content[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        isMalformed = true
        return nil
    }
}
