import FoundationEssentials

/// Estimates the memory of a serialized model once it is decoded: an empty message takes two bytes of a file, and
/// hundreds in memory.
struct ONNXMessageCount {
    /// The kinds of messages that contain other messages.
    private enum Kind {
        case model, graph, node, attribute, function, value, type, tensorType, shape, tensor, sparseTensor, leaf

        /// The kind of the message in a field; nil for text, numbers and fields that are not read.
        func child(_ field: Int) -> Kind? {
            switch (self, field) {
            case (.model, 7), (.attribute, 6), (.attribute, 11): .graph
            case (.model, 25): .function
            case (.graph, 1), (.function, 7): .node
            case (.node, 5), (.function, 11): .attribute
            case (.graph, 11), (.graph, 12), (.graph, 13), (.function, 12): .value
            case (.graph, 5), (.attribute, 5), (.attribute, 10), (.sparseTensor, 1): .tensor
            case (.graph, 15), (.attribute, 22), (.attribute, 23): .sparseTensor
            case (.value, 2), (.attribute, 14), (.attribute, 15): .type
            case (.type, 1): .tensorType
            case (.tensorType, 2): .shape
            case (.model, 8), (.model, 14), (.graph, 14), (.node, 9), (.shape, 1), (.tensor, 3), (.tensor, 13),
                (.type, 4...9):
                .leaf
            default: nil
            }
        }

        /// Whether a field is text, which is allocated separately.
        func isText(_ field: Int) -> Bool {
            switch (self, field) {
            case (.node, 1...2), (.attribute, 9), (.function, 4...6): true
            default: false
            }
        }
    }

    /// The maximum bytes of messages.
    private static let limit = 320 << 20
    /// The bytes of a message and of a text in addition to their content.
    private static let (messageByteCount, textByteCount) = (320, 16)

    /// Checks the estimate against the limit.
    ///
    /// - Throws: ``FormatError/unsupported(_:)`` when decoding would take more memory than a model may.
    static func check(_ model: Data) throws(FormatError) {
        var reader = Reader([UInt8](model))
        var open: [(kind: Kind, end: Int)] = [(.model, model.count)]
        var byteCount = 0
        while let (kind, end) = open.last {
            guard reader.position < end else {
                open.removeLast()
                continue
            }
            // The decoder reports malformed fields.
            guard let (field, length) = reader.field(before: end) else { return }
            if let child = kind.child(field), let length {
                byteCount += messageByteCount
                if child == .leaf { reader.position += length } else { open.append((child, reader.position + length)) }
            } else {
                if kind.isText(field) { byteCount += textByteCount }
                reader.position += length ?? 0
            }
            guard byteCount <= limit else {
                throw .unsupported("the model consists of more parts than fit in \(limit >> 20) MiB")
            }
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// Reads the next field: its number, and the length of its content if it is text or a message. Moves to the
        /// content, or past a number. Nil when the field is malformed.
        mutating func field(before end: Int) -> (number: Int, length: Int?)? {
            guard let tag = varint(before: end) else { return nil }
            let number = Int(truncatingIfNeeded: tag >> 3)
            switch tag & 7 {
            case 0: return varint(before: end).map { _ in (number, nil) }
            case 1: return skip(8, before: end) ? (number, nil) : nil
            case 5: return skip(4, before: end) ? (number, nil) : nil
            case 2:
                guard let length = varint(before: end), length <= UInt64(end - position) else { return nil }
                return (number, Int(length))
            default: return nil
            }
        }

        private mutating func skip(_ count: Int, before end: Int) -> Bool {
            guard count <= end - position else { return false }
            position += count
            return true
        }

        private mutating func varint(before end: Int) -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard position < end else { return nil }
                let byte = bytes[position]
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
    }
}
