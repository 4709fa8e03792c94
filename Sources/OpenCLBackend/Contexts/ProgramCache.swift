import Caching
import Foundation

/// Built programs kept in files between processes.
///
/// A device runs what they hold, so a file counts only where nobody but this user or root can have written it or put it
/// into its folder. A file that is damaged, was cut short, or belongs to another driver or text counts as none. Files are replaced at
/// once, so that processes which write the same one do no harm; what cannot be written is not kept.
package struct ProgramCache: Sendable {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// `apus/opencl` in the user's cache folder.
    package static var user: ProgramCache { ProgramCache(folder: UserCache.folder + "/opencl") }

    /// Why some of the programs, or all, are not used; nil where all are.
    package var problem: String? {
        if let problem = UserCache.distrust(folder) { return problem }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().lazy.compactMap { UserCache.distrust(folder + "/" + $0) }.first
    }

    private static let format = "apus program 1\n"

    /// A file of more bytes holds no program.
    private static let mostBytes = 256 << 20

    /// The binary that was kept for a key.
    ///
    /// - Parameter key: Device, driver, options and text; compared whole.
    package func binary(for key: String) -> [UInt8]? {
        let header = [UInt8](Self.header(key).utf8)
        guard let data = UserCache.content(of: path(key), atMost: Self.mostBytes) else { return nil }
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
        UserCache.write(content, to: path(key))
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
