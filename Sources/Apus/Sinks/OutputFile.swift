import Foundation

/// A file or standard output, written piece by piece with every write checked.
///
/// A piece is written whole or not at all: when the system refuses part of one, a file is cut back to the end of the
/// piece before. The file is closed when the last reference goes; ``close()`` tells whether that succeeded.
///
/// Not safe for concurrent use.
public final class OutputFile {
    /// The path, or `standard output`.
    public let name: String
    /// Whether people watch the output.
    public let isTerminal: Bool

    private var descriptor: Int32
    private let isOwned: Bool
    private var wholeByteCount = 0

    /// Creates a file, or empties the one that is there.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``.
    public init(path: String) throws(OutputError) {
        name = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .failed(name: path, message: Self.systemMessage(errno)) }
        isOwned = true
        isTerminal = isatty(descriptor) == 1
    }

    private init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
        isOwned = false
        isTerminal = isatty(descriptor) == 1
    }

    /// The standard output of the process; it stays open.
    public static func standardOutput() -> OutputFile {
        OutputFile(name: "standard output", descriptor: STDOUT_FILENO)
    }

    deinit { try? close() }

    /// Writes a piece, such as a row, at once.
    ///
    /// - Throws: ``OutputError/readerGone`` for a closed pipe, when the process ignores `SIGPIPE`; otherwise
    ///   ``OutputError/failed(name:message:)``.
    public func write(_ piece: String) throws(OutputError) {
        var text = piece
        let failure = text.withUTF8 { Self.write(UnsafeRawBufferPointer($0), to: descriptor) }
        try finish(failure, byteCount: piece.utf8.count)
    }

    /// Writes a piece of bytes at once; errors as ``write(_:)-(String)``.
    public func write(_ piece: UnsafeRawBufferPointer) throws(OutputError) {
        try finish(Self.write(piece, to: descriptor), byteCount: piece.count)
    }

    /// Closes a file; nothing may be written afterwards.
    ///
    /// - Throws: ``OutputError/failed(name:message:)`` when the system reports only now that bytes did not arrive.
    public func close() throws(OutputError) {
        guard isOwned, descriptor >= 0 else { return }
        let result = Foundation.close(descriptor)
        let code = errno
        descriptor = -1
        if result != 0, code != EINTR { throw .failed(name: name, message: Self.systemMessage(code)) }
    }

    private func finish(_ failure: Int32?, byteCount: Int) throws(OutputError) {
        guard let failure else {
            wholeByteCount += byteCount
            return
        }
        if failure == EPIPE { throw .readerGone }
        if isOwned { _ = ftruncate(descriptor, off_t(wholeByteCount)) }
        throw .failed(name: name, message: Self.systemMessage(failure))
    }

    /// The error number of the system, if it refuses.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    private static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
}
