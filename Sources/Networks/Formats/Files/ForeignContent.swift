/// Kinds of files that are given as models although Apus does not read them, recognized by their first bytes.
enum ForeignContent: CaseIterable {
    case empty, html, gitLFSPointer, json, zip, gzip, pickle, hdf5, gguf, tfLite, png, jpeg

    /// - Throws: ``FormatError/unreadable(_:)`` when the file cannot be read.
    init?(_ content: ModelContent) throws(FormatError) {
        let start = [UInt8](try content.bytes(0..<min(256, content.byteCount)))
        let text = Self.textStart(start)
        guard let match = Self.allCases.first(where: { $0.matches(start, text) }) else { return nil }
        self = match
    }

    private func matches(_ start: [UInt8], _ text: String) -> Bool {
        switch self {
        case .empty: start.isEmpty
        case .html: ["<!doctype html", "<html", "<head", "<?xml"].contains { text.hasPrefix($0) }
        case .gitLFSPointer: text.hasPrefix("version https://git-lfs.github.com/")
        case .json: text.hasPrefix("{") || text.hasPrefix("[")
        case .zip: start.starts(with: [0x50, 0x4B, 0x03, 0x04])
        case .gzip: start.starts(with: [0x1F, 0x8B])
        case .pickle: start.starts(with: [0x80, 0x02]) || start.starts(with: [0x80, 0x04])
        case .hdf5: start.starts(with: [0x89, 0x48, 0x44, 0x46])
        case .gguf: start.starts(with: Array("GGUF".utf8))
        case .tfLite: start.dropFirst(4).starts(with: Array("TFL3".utf8))
        case .png: start.starts(with: [0x89, 0x50, 0x4E, 0x47])
        case .jpeg: start.starts(with: [0xFF, 0xD8, 0xFF])
        }
    }

    /// The first bytes in lower case, without a byte order mark and leading white space.
    private static func textStart(_ start: [UInt8]) -> String {
        var rest = start[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return String(decoding: rest.prefix(64), as: UTF8.self).lowercased()
    }

    var error: FormatError {
        switch self {
        case .empty: .invalid("the file is empty")
        case .html: .invalid("the file is a web page, not a model; download the model itself")
        case .gitLFSPointer: .invalid("the file is a Git LFS pointer, not the model; run \"git lfs pull\" to fetch it")
        case .json: .invalid("the file is JSON, not a model")
        case .zip: .unsupported("the file is a ZIP archive, as PyTorch writes; export the model as ONNX")
        case .gzip: .unsupported("the file is compressed with gzip; unpack it first")
        case .pickle: .unsupported("the file is a Python pickle, as PyTorch writes; export the model as ONNX")
        case .hdf5: .unsupported("the file is HDF5, as Keras writes; export the model as ONNX")
        case .gguf: .unsupported("the file is a GGUF model, which Apus does not read")
        case .tfLite: .unsupported("the file is a TensorFlow Lite model")
        case .png: .invalid("the file is a PNG picture, not a model")
        case .jpeg: .invalid("the file is a JPEG picture, not a model")
        }
    }
}
