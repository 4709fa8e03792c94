import CApus

/// A text in C's form.
final class TextObject: HandleObject {
    static let kind = "text"

    private let storage: CString
    /// The length in bytes, without the zero byte.
    let length: Int

    init(_ text: String) {
        storage = CString(text)
        length = text.utf8.count
    }

    /// The first byte.
    var start: UnsafePointer<CChar> { storage.start }
}

/// A copy of a text that ends with a zero byte, and lives as long as the object.
final class CString: @unchecked Sendable {
    let start: UnsafePointer<CChar>

    init(_ text: String) {
        let bytes = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        bytes.withUnsafeBufferPointer { if let source = $0.baseAddress { copy.update(from: source, count: $0.count) } }
        start = UnsafePointer(copy)
    }

    deinit { start.deallocate() }
}
