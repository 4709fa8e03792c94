import Synchronization

/// How many files and folders were passed over, by reason: an extension such as `.webp`, or `hidden`.
public struct SkippedFiles: Sendable, Equatable {
    /// The count for each reason.
    public private(set) var counts: [String: Int] = [:]
    /// The folders that could not be listed, each with the reason; no more than the first few.
    public private(set) var folders: [String] = []

    /// Makes counts of zero.
    public init() {}

    /// Whether nothing was passed over.
    public var isEmpty: Bool { counts.isEmpty }

    /// The maximum number of reasons; further ones are counted together.
    private static let maximumReasonCount = 40
    private static let maximumExtensionLength = 10
    private static let maximumFolderCount = 5
    private static let maximumFolderLength = 300

    package mutating func add(_ reason: String, count: Int = 1) {
        let isKnown = counts[reason] != nil || counts.count < Self.maximumReasonCount
        counts[isKnown ? reason : "other names", default: 0] += count
    }

    /// Counts a file that is not named like a picture.
    package mutating func add(fileNamed path: String) {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return add("no extension") }
        let fileExtension = name[name.utf8.index(after: dot)...].lowercased()
        let isPlain = fileExtension.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        let isExtension = isPlain && (1...Self.maximumExtensionLength).contains(fileExtension.utf8.count)
        add(isExtension ? "." + fileExtension : "other names")
    }

    /// Names a folder that could not be listed.
    package mutating func name(folder: String) {
        guard folders.count < Self.maximumFolderCount else { return }
        let isLong = folder.utf8.count > Self.maximumFolderLength
        folders.append(isLong ? "\(folder.prefix(100)) … \(folder.suffix(100))" : folder)
    }

    package mutating func merge(_ other: SkippedFiles) {
        for folder in other.folders { name(folder: folder) }
        for (reason, count) in other.counts { add(reason, count: count) }
    }
}

/// The most frequent reason first, then the folders that could not be listed: `.webp 12, hidden 3`.
extension SkippedFiles: CustomStringConvertible {
    public var description: String {
        let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        return ([reasons.joined(separator: ", ")] + folders).joined(separator: "; ")
    }
}

/// Counts that grow while a dataset is listed; safe to use from any thread.
package final class SkippedFileCounter: Sendable {
    private let state = Mutex(SkippedFiles())

    package init() {}

    package var value: SkippedFiles { state.withLock { $0 } }

    package func add(_ reason: String, count: Int = 1) { state.withLock { $0.add(reason, count: count) } }
    package func add(fileNamed path: String) { state.withLock { $0.add(fileNamed: path) } }
    package func name(folder: String) { state.withLock { $0.name(folder: folder) } }
    package func merge(_ other: SkippedFiles) { state.withLock { $0.merge(other) } }
}
