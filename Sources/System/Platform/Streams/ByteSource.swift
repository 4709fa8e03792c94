import FoundationEssentials
import Glibc

/// A file, a pipe or standard input, read from its beginning to its end.
package final class ByteSource: Sendable {
    /// The path, or `standard input`, for messages.
    package let name: String
    /// The length in bytes; nil when it is not known beforehand.
    package let byteCount: Int?

    private let descriptor: Int32
    private let isOwned: Bool

    /// Opens a file or a named pipe. Waits a limited time until a process writes to the pipe.
    ///
    /// - Parameter takesDevices: Whether devices are opened too.
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/cancelled``.
    package init(path: String, takesDevices: Bool = false) throws(ApusError) {
        name = path
        let (descriptor, status) = try FileContent.open(path, takesDevices: takesDevices)
        do throws(ApusError) {
            if status.isNamedPipe(descriptor) {
                // Until a process has opened the pipe for writing, it gives neither bytes nor an end.
                try FileContent.awaitBytes(descriptor, path, atMost: FileContent.maximumSilence)
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        isOwned = true
        byteCount = status.isRegularFile ? Int(status.st_size) : nil
    }

    private init(standardInput descriptor: Int32) {
        name = "standard input"
        self.descriptor = descriptor
        isOwned = false
        byteCount = nil
    }

    /// The standard input of the process.
    package static func standardInput() -> ByteSource { ByteSource(standardInput: STDIN_FILENO) }

    deinit { if isOwned { close(descriptor) } }

    /// Reads at most as many bytes as `bytes` holds, and returns how many; 0 at the end.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/cancelled`` when the task or its run is asked to end
    ///   while nothing comes.
    package func read(into bytes: UnsafeMutableRawBufferPointer) throws(ApusError) -> Int {
        while true {
            // Standard input may be set to block.
            if byteCount == nil { try FileContent.awaitBytes(descriptor, name, atMost: nil) }
            let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN && byteCount == nil else {
                throw .file(
                    path: name, message: errno == EAGAIN ? FileContent.endless : FileContent.systemMessage(errno))
            }
        }
    }

    /// Reads a part of a file; fewer bytes when the file ends earlier.
    package func read(at offset: Int, count: Int) throws(ApusError) -> Data {
        var data = Data(count: count)
        let done = try data.withUnsafeMutableBytes { bytes in
            Result { () throws(ApusError) in try read(at: offset, into: bytes) }
        }.get()
        return data.prefix(done)
    }

    /// Reads a part of a file, and returns the number of bytes; they do not fill `bytes` when the file ends earlier.
    package func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(ApusError) -> Int {
        var done = 0
        while done < bytes.count {
            let received = pread(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if received == 0 { break }
            if received > 0 {
                done += received
            } else if errno != EINTR {
                throw .file(path: name, message: FileContent.systemMessage(errno))
            }
        }
        return done
    }

    /// Sets where in a file the next ``read(into:)`` begins.
    func seek(to offset: Int) throws(ApusError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw .file(path: name, message: FileContent.systemMessage(errno))
        }
    }
}
