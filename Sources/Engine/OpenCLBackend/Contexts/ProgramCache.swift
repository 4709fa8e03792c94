import Caching
import FoundationEssentials

/// Stores built programs in files between processes.
///
/// A device runs the content of these files. A file is therefore used only if no user but this one and root can have
/// written it or placed it in its folder. A file that is damaged, truncated, or belongs to another driver or text is
/// ignored. Files are replaced atomically, so that several processes may write the same one. A program that cannot be
/// written is not kept.
package struct ProgramCache: Sendable {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// `apus/opencl` in the user's cache folder.
    package static var user: ProgramCache { ProgramCache(folder: UserCache.folder + "/opencl") }

    /// Why some or all of the programs are not used; nil where all are.
    package var problem: String? {
        if let problem = UserCache.distrust(folder) { return problem }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().lazy.compactMap { UserCache.distrust(folder + "/" + $0) }.first
    }

    private static let format = "apus program 1\n"

    /// The maximum bytes of a file that holds a program.
    private static let maximumBytes = 256 << 20

    /// Returns the binary that was stored for a key.
    ///
    /// - Parameter key: The device, driver, options and text. It is compared as a whole.
    package func binary(for key: String) -> [UInt8]? {
        let header = [UInt8](Self.header(key).utf8)
        guard let data = UserCache.content(of: path(key), atMost: Self.maximumBytes) else { return nil }
        let content = [UInt8](data)
        guard content.count > header.count + 8, content.starts(with: header) else { return nil }
        let binary = Array(content[(header.count + 8)...])
        let checksum = content[header.count..<header.count + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return checksum == Self.hash(binary) ? binary : nil
    }

    /// Stores a binary.
    package func store(_ binary: [UInt8], for key: String) {
        var content = Data(Self.header(key).utf8)
        let checksum = Self.hash(binary)
        content.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (56 - 8 * $0)) })
        content.append(contentsOf: binary)
        UserCache.write(content, to: path(key))
    }

    /// The path of a key's binary.
    package func path(_ key: String) -> String {
        folder + "/" + String(Self.hash(Array(key.utf8)), radix: 16) + ".program"
    }

    private static func header(_ key: String) -> String { "\(format)\(key.utf8.count)\n\(key)\n" }

    /// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
