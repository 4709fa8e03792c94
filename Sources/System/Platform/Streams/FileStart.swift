import FoundationEssentials
import Glibc

/// The first bytes of a regular file, by which its kind is recognised.
package struct FileStart {
    private let bytes: Data

    /// Reads the first bytes of a regular file; nil for anything else. Bytes read from a pipe would be lost to its
    /// reader.
    package init?(_ path: String) {
        guard let data = try? FileContent.readStart(path, count: 512) else { return nil }
        bytes = data
    }

    /// Whether a path leads to a pipe, which can be read only once.
    package static func isPipe(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFIFO
    }

    package var isZip: Bool { bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6]) }
    package var isGzip: Bool { bytes.starts(with: [0x1F, 0x8B]) }
    package var isNumPy: Bool { bytes.starts(with: [0x93] + Array("NUMPY".utf8)) }
    /// Whether the file is a database of SQLite. https://www.sqlite.org/fileformat.html
    package var isSQLite: Bool { bytes.starts(with: Array("SQLite format 3\0".utf8)) }
    /// Whether the first header has the word `ustar`, as in every tar archive since 1988.
    package var isTar: Bool { bytes.count >= 262 && bytes[257..<262].elementsEqual("ustar".utf8) }
    package var isPicture: Bool {
        bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])
    }
}

extension FileContent {
    /// A part of a file; fewer bytes when it ends earlier.
    package static func read(_ path: String, at offset: Int, count: Int) throws(ApusError) -> Data {
        try ByteSource(path: path).read(at: offset, count: count)
    }

    /// The first bytes of a regular file.
    static func readStart(_ path: String, count: Int) throws(ApusError) -> Data {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .file(path: path, message: "is not a file")
        }
        return try read(path, at: 0, count: count)
    }
}

extension ByteSource {
    /// The next `count` bytes; fewer at the end.
    package func readFully(_ count: Int) throws(ApusError) -> Data {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let received = try data.withUnsafeMutableBytes { bytes in
                Result { () throws(ApusError) in
                    try read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[done...]))
                }
            }.get()
            if received == 0 { break }
            done += received
        }
        return data.prefix(done)
    }
}
