/// The reason why a picture could not be decoded, or an image could not be made, resized or encoded.
public enum ImageError: Error, Sendable, Equatable {
    /// There are no bytes.
    case empty
    /// The bytes are not a picture; the text says what they look like.
    case unrecognized(String)
    /// The bytes are a picture of a kind that is not decoded; the text says which.
    case unsupported(String)
    /// The bytes are a picture of a kind whose library is not installed.
    ///
    /// - Parameter package: The package of Debian that brings the library.
    case missingLibrary(kind: String, library: String, package: String)
    /// The bytes end too early; the text says where.
    case truncated(String)
    /// The bytes contradict their format; the text says how.
    case corrupt(String)
    /// The picture has more pixels than allowed.
    case tooLarge(ImageSize, maximumPixelCount: Int)
    /// Decoding would take more bytes than allowed.
    case tooMuchMemory(ImageSize, byteCount: Int, limit: Int)
    /// Memory could not be allocated.
    case outOfMemory
    /// A size is zero, negative, too large, or does not fit the pixels; the text says which.
    case invalidSize(String)

    /// A short name for programs, which stays the same between versions.
    public var code: String {
        switch self {
        case .empty: "empty"
        case .unrecognized: "unrecognized"
        case .unsupported: "unsupported"
        case .missingLibrary: "missing-library"
        case .truncated: "truncated"
        case .corrupt: "corrupt"
        case .tooLarge, .tooMuchMemory: "too-large"
        case .outOfMemory: "out-of-memory"
        case .invalidSize: "invalid-size"
        }
    }
}

extension ImageError: CustomStringConvertible {
    /// The error as one line of text.
    public var description: String {
        switch self {
        case .empty: "the file is empty"
        case .unrecognized(let content): "not a picture: the content looks like \(content)"
        case .unsupported(let kind): "\(kind) is not supported"
        case .missingLibrary(let kind, let library, let package):
            "\(kind) needs \(library), which is not installed; the Debian package \(package) brings it"
        case .truncated(let detail): "the picture is cut off: \(detail)"
        case .corrupt(let detail): "the picture is damaged: \(detail)"
        case .tooLarge(let size, let maximum): "the picture has \(size) pixels, more than the limit of \(maximum)"
        case .tooMuchMemory(let size, let byteCount, let limit):
            "decoding \(size) pixels of this kind takes \(byteCount) bytes, more than the limit of \(limit)"
        case .outOfMemory: "there is not enough memory to decode the picture"
        case .invalidSize(let detail): detail
        }
    }
}
