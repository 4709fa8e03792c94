import FoundationEssentials
import SwiftProtobuf

/// Field numbers of a message, by name.
protocol MessageField: RawRepresentable<Int>, CaseIterable, Sendable {}

extension MessageField {
    /// The numbers of all fields.
    static var numbers: Set<Int> { Set(allCases.map(\.rawValue)) }
}

/// The fields of an entry of a map.
enum MapEntryField: Int, MessageField {
    case key = 1, value
}

/// A serialized message in a model, of which only the positions of its fields are known.
///
/// Models, layers and weights are found through these messages and decoded one by one. Decoding everything at once
/// would follow messages that nest or repeat without end, and would load weights that should stay in the file.
struct CoreMLMessage {
    let content: ModelContent
    let fields: [ProtobufFields.Field]

    /// The maximum number of fields of a message whose fields are other messages.
    static let maximumFields = 250_000
    /// The maximum bytes that are decoded at once; every two of them could become a message of some hundred bytes.
    private static let maximumDecodedBytes = 1 << 20

    /// - Parameter range: The position of the message.
    /// - Throws: ``FormatError`` when the message does not consist of whole fields, or has too many.
    init(
        _ content: ModelContent, _ range: Range<Int>, maximumFields: Int = Self.maximumFields
    ) throws(FormatError) {
        var walk = ProtobufFields(content, range)
        var fields: [ProtobufFields.Field] = []
        while let field = try walk.next() {
            guard fields.count < maximumFields else {
                throw .unsupported("the model holds a list of more than \(maximumFields) parts")
            }
            fields.append(field)
        }
        guard walk.end == .complete else { throw .invalid("the file is cut short or damaged") }
        self.content = content
        self.fields = fields
    }

    /// The message in a field; empty where there is none.
    func message(_ number: Int) throws(FormatError) -> CoreMLMessage {
        guard let range = ranges(number).last else { return try CoreMLMessage(content, 0..<0) }
        return try CoreMLMessage(content, range)
    }

    /// The message in a field; empty where there is none.
    func message(_ field: some MessageField) throws(FormatError) -> CoreMLMessage { try message(field.rawValue) }

    /// The positions of a field's values, which are messages, texts or packed numbers.
    func ranges(_ field: some MessageField) -> [Range<Int>] { ranges(field.rawValue) }

    func contains(_ field: some MessageField) -> Bool { contains(field.rawValue) }

    func contains(_ number: Int) -> Bool { fields.contains { $0.number == number } }

    /// The positions of a field's values, which are messages, texts or packed numbers.
    func ranges(_ number: Int) -> [Range<Int>] {
        fields.filter { $0.number == number && $0.wire == .lengthDelimited }.map(\.value)
    }

    /// Decodes the message without the omitted fields.
    ///
    /// - Parameters:
    ///   - omitted: Numbers of the fields that stay undecoded.
    ///   - limit: The maximum bytes to decode.
    func decode<Message: SwiftProtobuf.Message>(
        _: Message.Type = Message.self, omitting omitted: Set<Int> = [], atMost limit: Int = maximumDecodedBytes
    ) throws(FormatError) -> Message {
        try Self.decode(try bytes(atMost: limit) { !omitted.contains($0) })
    }

    /// Decodes the fields of the message for which `isWanted` is true.
    func decode<Message: SwiftProtobuf.Message>(
        _: Message.Type = Message.self, atMost limit: Int = maximumDecodedBytes, where isWanted: (Int) -> Bool
    ) throws(FormatError) -> Message {
        try Self.decode(try bytes(atMost: limit, where: isWanted))
    }

    /// The bytes of the fields for which `isWanted` is true.
    private func bytes(atMost limit: Int, where isWanted: (Int) -> Bool) throws(FormatError) -> Data {
        var bytes = Data()
        for field in fields where isWanted(field.number) {
            guard field.range.count <= limit - bytes.count else {
                throw .unsupported("a part of the model has more than \(limit) bytes beside its weights")
            }
            bytes += try content.bytes(field.range)
        }
        return bytes
    }

    /// Decodes the message in `range`.
    func decode<Message: SwiftProtobuf.Message>(
        _ range: Range<Int>, _: Message.Type = Message.self, atMost limit: Int = maximumDecodedBytes
    ) throws(FormatError) -> Message {
        try Self.decode(try bytes(range, atMost: limit))
    }

    private func bytes(_ range: Range<Int>, atMost limit: Int) throws(FormatError) -> Data {
        guard range.count <= limit else { throw .unsupported("a part of the model has more than \(limit) bytes") }
        return try content.bytes(range)
    }

    private static func decode<Message: SwiftProtobuf.Message>(_ bytes: Data) throws(FormatError) -> Message {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        options.messageDepthLimit = 16
        do {
            return try Message(serializedBytes: bytes, options: options)
        } catch BinaryDecodingError.invalidUTF8 {
            throw .invalid("the file holds a name that is not UTF-8 text; it is damaged")
        } catch {
            throw .invalid("the file is cut short or damaged")
        }
    }
}
