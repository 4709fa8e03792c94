import FoundationEssentials
import Glibc

/// Reads whole files, with errors that say what is wrong.
package enum FileContent {
    /// The maximum size of a file of labels, preprocessing or the like, in bytes.
    private static let maximumByteCount = 64 << 20

    /// The maximum size of a file that holds a picture, in bytes.
    package static let maximumPictureByteCount = 256 << 20

    /// The maximum number of bytes taken from a pipe, whose length is not known beforehand.
    package static let maximumStreamByteCount = 1 << 30

    /// The content of a file, or all that comes through a pipe.
    ///
    /// The content is copied, never mapped: a mapped file that another program cuts short would end the process.
    ///
    /// - Parameter limit: The maximum size in bytes; a longer file is an error.
    /// - Throws: ``ApusError/file(path:message:)``.
    package static func read(_ path: String, atMost limit: Int = maximumByteCount) throws(ApusError) -> Data {
        let (descriptor, status) = try open(path)
        defer { close(descriptor) }
        guard status.isRegularFile else { return try readAll(descriptor, path, status, atMost: limit) }
        let size = Int(status.st_size)
        guard size <= limit else { throw .file(path: path, message: "has \(size) bytes; at most \(limit) are read") }
        return try readAll(descriptor, path, status, atMost: limit)
    }

    /// A range of the bytes of a file; fewer, or none, at its end.
    package static func read(_ path: String, from start: Int, count: Int) throws(ApusError) -> Data {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, message: systemMessage(errno)) }
        defer { close(descriptor) }
        var data = Data(count: count)
        var received = 0
        while received < count {
            let more = data.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + received }, count - received, off_t(start + received))
            }
            guard more >= 0 else { throw .file(path: path, message: systemMessage(errno)) }
            if more == 0 { break }
            received += more
        }
        return data.prefix(received)
    }

    package static func readAll(
        _ descriptor: Int32, _ path: String, _ status: stat, atMost limit: Int
    ) throws(ApusError) -> Data {
        let silence = status.isNamedPipe(descriptor) ? maximumSilence : nil
        if !status.isRegularFile { try awaitBytes(descriptor, path, atMost: silence) }
        var data = Data(count: max((status.isRegularFile ? Int(status.st_size) : 0) + 1, 1 << 16))
        var count = 0
        while true {
            if count == data.count { data.count *= 2 }
            let received = data.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + count }, bytes.count - count)
            }
            if received > 0 {
                count += received
                guard count <= limit else { throw .file(path: path, message: "gives more than \(limit) bytes") }
            } else if received == 0 {
                return data.prefix(count)
            } else if errno == EAGAIN {
                guard !status.isRegularFile else { throw .file(path: path, message: endless) }
                try awaitBytes(descriptor, path, atMost: silence)
            } else if errno != EINTR {
                throw .file(path: path, message: systemMessage(errno))
            }
        }
    }

    /// The system's message for an error number, without a capital letter.
    package static func systemMessage(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
