/// The reason why preprocessing could not be read or applied.
public enum PreprocessingError: Error, Sendable, Equatable {
    /// The file is not a JSON object.
    case malformed(String)
    /// The value of a key or property has the wrong type or is out of range.
    case invalid(key: String, reason: String)
    /// A key or its value is not supported.
    case unsupported(key: String, reason: String)
    /// An image would become too large.
    case tooLarge(ImageSize)
    /// The buffer for the numbers has another count than the result.
    case bufferCount(expected: Int, found: Int)

    /// A short name for programs, which stays the same between versions.
    public var code: String {
        switch self {
        case .malformed: "preprocessing-malformed"
        case .invalid: "preprocessing-invalid"
        case .unsupported: "preprocessing-unsupported"
        case .tooLarge: "too-large"
        case .bufferCount: "buffer-count"
        }
    }
}

extension PreprocessingError: CustomStringConvertible {
    /// The error as one line of text.
    public var description: String {
        switch self {
        case .malformed(let reason): "preprocessing is not a JSON object: \(reason)"
        case .invalid(let key, let reason): "preprocessing: \"\(key)\" \(reason)"
        case .unsupported(let key, let reason): "preprocessing: \"\(key)\" is not supported: \(reason)"
        case .tooLarge(let size): "preprocessing would make an image of \(size) pixels"
        case .bufferCount(let expected, let found): "preprocessing makes \(expected) numbers, not \(found)"
        }
    }
}
