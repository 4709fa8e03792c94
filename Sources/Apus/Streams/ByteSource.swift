import Foundation

/// A file, a pipe or standard input, read from its beginning to its end.
final class ByteSource: Sendable {
    /// The path, or `standard input`, for messages.
    let name: String
    /// The length, when it is known before.
    let byteCount: Int?

    private let descriptor: Int32
    private let isOwned: Bool

    /// How long, in milliseconds, a named pipe may be without anybody who writes to it.
    private static let longestSilence: Int32 = 3_000

    /// Opens a file or a named pipe, and waits a little until somebody writes to the pipe.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    init(path: String) throws(ApusError) {
        name = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .file(path: path, message: errno == ENOENT ? "no such file" : FileContent.systemMessage(errno))
        }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw .file(path: path, message: "is a folder, not a file")
        }
        if information.st_mode & S_IFMT == S_IFIFO {
            // There is nothing to wait for, not even an end, before somebody has opened the pipe for writing.
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Self.longestSilence) != 0 else {
                close(descriptor)
                throw .file(path: path, message: "nobody writes to the pipe")
            }
        }
        self.descriptor = descriptor
        isOwned = true
        byteCount = information.st_mode & S_IFMT == S_IFREG ? Int(information.st_size) : nil
    }

    private init(standardInput descriptor: Int32) {
        name = "standard input"
        self.descriptor = descriptor
        isOwned = false
        byteCount = nil
    }

    /// The standard input of the process.
    static func standardInput() -> ByteSource { ByteSource(standardInput: STDIN_FILENO) }

    deinit { if isOwned { close(descriptor) } }

    /// Reads up to as many bytes as fit; 0 at the end.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ApusError) -> Int {
        while true {
            let count = Foundation.read(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw .file(path: name, message: FileContent.systemMessage(errno))
            }
        }
    }

    /// Reads a part of a file; fewer bytes when the file ends before.
    func read(at offset: Int, count: Int) throws(ApusError) -> Data {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let received = data.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            }
            if received == 0 { break }
            if received > 0 {
                done += received
            } else if errno != EINTR {
                throw .file(path: name, message: FileContent.systemMessage(errno))
            }
        }
        return data.prefix(done)
    }

    /// Moves the place of the next ``read(into:)`` in a file.
    func seek(to offset: Int) throws(ApusError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw .file(path: name, message: FileContent.systemMessage(errno))
        }
    }
}
