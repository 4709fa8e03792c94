import FoundationEssentials
import SwiftProtobuf

/// A decoded model whose weights' elements stay in the file: they are most of it, and decoding would copy them.
struct ONNXContent {
    /// The model. Its initializers have no `raw_data`; that is in ``rawData``.
    private(set) var model: ONNXModelProto
    /// For each initializer, the place of its `raw_data`.
    private(set) var rawData: [ONNXRawData?] = []

    /// Field numbers of the format.
    private static let (graphField, initializerField, rawDataField) = (7, 5, 9)
    private static let initializerLimit = 250_000

    init(_ content: ModelContent) throws(FormatError) {
        var initializers: [Range<Int>] = []
        guard let rest = try Self.message(content, 0..<content.byteCount, taking: &initializers) else {
            // The file is damaged, or has an encoding that only the decoder understands.
            let all = try content.allBytes()
            try ONNXMessageCount.check(all)
            model = try ONNXFormat.decode(all)
            rawData = model.graph.initializer.map { _ in nil }
            return
        }
        guard initializers.count <= Self.initializerLimit else {
            throw .unsupported("the model has \(initializers.count) initializers, more than \(Self.initializerLimit)")
        }
        try ONNXMessageCount.check(rest)
        model = try ONNXFormat.decode(rest)
        var messages: [ONNXTensorProto] = []
        for range in initializers {
            let (message, rawData) = try Self.tensor(content, range)
            messages.append(message)
            self.rawData.append(rawData)
        }
        if !messages.isEmpty { model.graph.initializer = messages }
    }

    /// The serialized model without initializers; nil when it does not consist of whole fields.
    private static func message(
        _ content: ModelContent, _ range: Range<Int>, taking initializers: inout [Range<Int>]
    ) throws(FormatError) -> Data? {
        var rest = Data()
        // Neighbouring fields are read together.
        var kept = range.lowerBound..<range.lowerBound
        var fields = ProtobufFields(content, range)
        while let field = try fields.next() {
            guard field.number == graphField, field.wire == .lengthDelimited else {
                kept = kept.lowerBound..<field.range.upperBound
                continue
            }
            rest += try content.bytes(kept)
            kept = field.range.upperBound..<field.range.upperBound
            let graph = try without(initializerField, content, field.value) { initializers.append($0) }
            guard let graph else { return nil }
            rest.append(UInt8(graphField << 3) | UInt8(ProtobufFields.Wire.lengthDelimited.rawValue))
            rest.append(varint: graph.count)
            rest += graph
        }
        rest += try content.bytes(kept)
        return fields.end == .complete ? rest : nil
    }

    private static func tensor(
        _ content: ModelContent, _ range: Range<Int>
    ) throws(FormatError) -> (ONNXTensorProto, ONNXRawData?) {
        var rawData: ONNXRawData?
        let rest = try without(rawDataField, content, range) { rawData = ONNXRawData(content: content, range: $0) }
        guard let rest else { return (try ONNXFormat.decode(try content.bytes(range)), nil) }
        return (try ONNXFormat.decode(rest), rawData)
    }

    /// A serialized message without the fields `number`, whose values are passed to `take`; nil when it does not
    /// consist of whole fields.
    private static func without(
        _ number: Int, _ content: ModelContent, _ range: Range<Int>, take: (Range<Int>) -> Void
    ) throws(FormatError) -> Data? {
        var rest = Data()
        // Neighbouring fields are read together.
        var kept = range.lowerBound..<range.lowerBound
        var fields = ProtobufFields(content, range)
        while let field = try fields.next() {
            if field.number == number, field.wire == .lengthDelimited {
                take(field.value)
                rest += try content.bytes(kept)
                kept = field.range.upperBound..<field.range.upperBound
            } else {
                kept = kept.lowerBound..<field.range.upperBound
            }
        }
        rest += try content.bytes(kept)
        return fields.end == .complete ? rest : nil
    }
}

/// The `raw_data` of a tensor.
struct ONNXRawData {
    let content: ModelContent
    let range: Range<Int>

    init(content: ModelContent, range: Range<Int>) {
        self.content = content
        self.range = range
    }

    init(_ data: Data) {
        self.init(content: ModelContent(data), range: 0..<data.count)
    }

    func copyBytes(to buffer: UnsafeMutableRawBufferPointer) throws(FormatError) {
        try content.read(from: range.lowerBound, into: buffer)
    }
}

extension Data {
    fileprivate mutating func append(varint value: Int) {
        var rest = UInt64(value)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
