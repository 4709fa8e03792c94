import FoundationEssentials
import Platform

/// Reads files of COCO's JSON.
enum COCOFile {
    /// The maximum size of a file in bytes.
    private static let maximumByteCount = 2 << 30

    /// Decodes a whole file.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming the place of what is wrong.
    static func decode<Value: Decodable>(_ path: String, as type: Value.Type) throws(ApusError) -> Value {
        let data = try FileContent.read(path, atMost: maximumByteCount)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw .file(path: path, message: message(error))
        } catch {
            throw .file(path: path, message: "is not JSON")
        }
    }

    private static func message(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(place(context))has no \"\(key.stringValue)\""
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context))is of another type than COCO's"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? "is not JSON" : "\(place(context))\(context.debugDescription)"
        @unknown default: "is not in COCO's form"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return path.isEmpty ? "" : "\(path.drop { $0 == "." }): ".printable
    }
}
