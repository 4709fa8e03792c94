/// The place of a tensor's bytes outside the model file.
///
/// Reference: https://onnx.ai/onnx/repo-docs/ExternalData.html
struct ONNXExternalData {
    let offset: Int
    private let location: String
    private let length: Int?
    private let files: ONNXExternalFiles

    init(_ entries: [ONNXStringStringEntryProto], files: ONNXExternalFiles?) throws(FormatError) {
        let values = Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard let location = values["location"] else { throw .invalid("external data: names no file") }
        guard let files else {
            throw .unsupported("external data: \"\(location)\" lies beside the model, which was not read from a folder")
        }
        self.location = location
        self.files = files
        offset = try Self.number("offset", in: values) ?? 0
        length = try Self.number("length", in: values)
    }

    /// Opens the file, which must hold `byteCount` bytes at the offset.
    func open(byteCount: Int) throws(FormatError) -> ModelFile {
        do throws(FormatError) {
            guard length ?? byteCount == byteCount else {
                throw .invalid("\(byteCount) bytes are needed, but \(length ?? 0) are given")
            }
            let file = try files.file(location)
            let (end, overflow) = offset.addingReportingOverflow(byteCount)
            guard !overflow, end <= file.byteCount else {
                throw .invalid(
                    "\"\(location)\" has \(file.byteCount) bytes, too few for \(byteCount) from offset \(offset)")
            }
            return file
        } catch {
            throw error.about("external data")
        }
    }

    private static func number(_ key: String, in values: [String: String]) throws(FormatError) -> Int? {
        guard let text = values[key] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw .invalid("external data: \(key) \"\(text)\" is not a number of bytes")
        }
        return number
    }
}
