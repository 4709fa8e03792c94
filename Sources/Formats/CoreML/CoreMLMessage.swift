#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SwiftProtobuf

/// The numbers of some of a message's fields, by their names.
protocol MessageField: RawRepresentable<Int>, CaseIterable, Sendable {}

/// A serialized message somewhere in a model, of which only the places of its fields are known.
///
/// Models, layers and weights are found through these and decoded one by one: a message that holds others could nest or
/// repeat them without end, and weights are to stay in the file.
struct CoreMLMessage {
    let content: ModelContent
    let fields: [ProtobufFields.Field]

    /// The most fields of a message whose fields are other messages.
    static let mostFields = 250_000
    /// The most bytes that are decoded at once, of which every two could become a message of some hundred bytes.
    private static let mostDecodedBytes = 1 << 20

    /// - Parameter range: Where the message lies.
    /// - Throws: ``FormatError`` when it does not consist of whole fields, or of very many.
    init(
        _ content: ModelContent, _ range: Range<Int>, mostFields: Int = Self.mostFields
    ) throws(FormatError) {
        var walk = ProtobufFields(content, range)
        var fields: [ProtobufFields.Field] = []
        while let field = try walk.next() {
            guard fields.count < mostFields else {
                throw .unsupported("the model holds a list of more than \(mostFields) parts")
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

    /// Where the values of a field lie that holds messages, texts or packed numbers.
    func ranges(_ field: some MessageField) -> [Range<Int>] { ranges(field.rawValue) }

    func contains(_ field: some MessageField) -> Bool { contains(field.rawValue) }

    func contains(_ number: Int) -> Bool { fields.contains { $0.number == number } }

    /// Where the values of a field lie that holds messages, texts or packed numbers.
    func ranges(_ number: Int) -> [Range<Int>] {
        fields.filter { $0.number == number && $0.wire == .lengthDelimited }.map(\.value)
    }

    /// The message decoded, without the fields that are left where they are.
    ///
    /// - Parameters:
    ///   - omitted: Numbers of fields.
    ///   - limit: The most bytes.
    func decode<Message: SwiftProtobuf.Message>(
        _: Message.Type = Message.self, omitting omitted: Set<Int> = [], atMost limit: Int = mostDecodedBytes
    ) throws(FormatError) -> Message {
        try decode(atMost: limit) { !omitted.contains($0) }
    }

    /// The message decoded, of the fields that `isWanted`.
    func decode<Message: SwiftProtobuf.Message>(
        _: Message.Type = Message.self, atMost limit: Int = mostDecodedBytes, where isWanted: (Int) -> Bool
    ) throws(FormatError) -> Message {
        var bytes = Data()
        for field in fields where isWanted(field.number) {
            guard field.range.count <= limit - bytes.count else {
                throw .unsupported("a part of the model has more than \(limit) bytes beside its weights")
            }
            bytes += try content.bytes(field.range)
        }
        return try Self.decode(bytes)
    }

    /// The message in `range` decoded.
    func decode<Message: SwiftProtobuf.Message>(
        _ range: Range<Int>, _: Message.Type = Message.self, atMost limit: Int = mostDecodedBytes
    ) throws(FormatError) -> Message {
        guard range.count <= limit else { throw .unsupported("a part of the model has more than \(limit) bytes") }
        return try Self.decode(try content.bytes(range))
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
