import Foundation

/// Built programs kept in files between processes.
///
/// A file that is damaged, was cut short, or belongs to another driver or text counts as none. Files are replaced at
/// once, so that processes which write the same one do no harm; what cannot be written is not kept.
package struct ProgramCache: Sendable {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// `apus/opencl` in the user's cache folder: `$XDG_CACHE_HOME`, or `~/.cache`.
    package static var user: ProgramCache {
        let environment = ProcessInfo.processInfo.environment
        // Relative paths are to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        let folder = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return ProgramCache(folder: (folder ?? NSHomeDirectory() + "/.cache") + "/apus/opencl")
    }

    private static let format = "apus program 1\n"

    /// A file of more bytes holds no program.
    private static let mostBytes = 256 << 20

    /// The binary that was kept for a key.
    ///
    /// - Parameter key: Device, driver, options and text; compared whole.
    package func binary(for key: String) -> [UInt8]? {
        var information = stat()
        guard stat(path(key), &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            information.st_size <= Self.mostBytes, let data = FileManager.default.contents(atPath: path(key))
        else { return nil }
        let header = [UInt8](Self.header(key).utf8)
        let content = [UInt8](data)
        guard content.count > header.count + 8, content.starts(with: header) else { return nil }
        let binary = Array(content[(header.count + 8)...])
        let checksum = content[header.count..<header.count + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return checksum == Self.hash(binary) ? binary : nil
    }

    /// Keeps a binary.
    package func store(_ binary: [UInt8], for key: String) {
        var content = Data(Self.header(key).utf8)
        let checksum = Self.hash(binary)
        content.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (56 - 8 * $0)) })
        content.append(contentsOf: binary)
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? content.write(to: URL(fileURLWithPath: path(key)), options: .atomic)
    }

    /// Where the binary of a key is kept.
    package func path(_ key: String) -> String {
        folder + "/" + String(Self.hash(Array(key.utf8)), radix: 16) + ".program"
    }

    private static func header(_ key: String) -> String { "\(format)\(key.utf8.count)\n\(key)\n" }

    /// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
