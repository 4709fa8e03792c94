import Glibc

/// A file or standard output, written piece by piece with every write checked.
///
/// A piece is written whole or not at all: when the system refuses part of one, a file is truncated to the end of the
/// previous piece. The file is closed with its last reference; ``close()`` also reports errors.
///
/// Not safe for concurrent use.
public final class OutputFile {
    /// The path, or `standard output`.
    public let name: String
    /// Whether the output is a terminal.
    public let isTerminal: Bool

    private var descriptor: Int32
    private let isOwned: Bool
    /// Whether the file holds only what was written here, so that it can be truncated.
    private let canBeCut: Bool
    private let calls: SystemCalls
    /// The number of bytes of the pieces that were written whole.
    public private(set) var byteCount = 0

    /// Creates a file, or empties an existing one.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``.
    public convenience init(path: String) throws(OutputError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .failed(name: path, message: Self.systemMessage(errno)) }
        self.init(name: path, owning: descriptor)
    }

    /// Opens or creates a regular file that is written in place, and truncates it to its first bytes. The path must not
    /// be a link, and the file must have no other name.
    ///
    /// - Parameter byteCount: How many bytes to keep; a file that has fewer is refused.
    /// - Throws: ``OutputError/failed(name:message:)``.
    package convenience init(
        path: String, keeping byteCount: Int, calls: SystemCalls = SystemCalls()
    ) throws(OutputError) {
        let opened: (descriptor: Int32, status: stat)
        do {
            opened = try Self.openInPlace(path)
        } catch {
            throw .failed(name: path, message: error.message)
        }
        self.init(name: path, owning: opened.descriptor, calls: calls)
        self.byteCount = byteCount
        let end = Int(opened.status.st_size)
        guard end >= byteCount else {
            throw .failed(name: path, message: "holds \(end) bytes of the \(byteCount) that were committed")
        }
        guard ftruncate(opened.descriptor, off_t(byteCount)) == 0,
            lseek(opened.descriptor, 0, SEEK_END) == byteCount
        else { throw .failed(name: path, message: Self.systemMessage(errno)) }
    }

    /// Opens what is written to directly: a pipe, a terminal or another character device, or a descriptor of this
    /// process such as `/dev/stdout`. Nil for other paths.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``.
    package convenience init?(streamingTo path: String) throws(OutputError) {
        guard Self.isStream(path) else { return nil }
        let number = Self.descriptorNumber(path)
        let descriptor = number.map { fcntl($0, F_DUPFD_CLOEXEC, 3) } ?? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(name: path, message: Self.systemMessage(errno)) }
        self.init(name: path, owning: descriptor, canBeCut: false)
    }

    package init(name: String, owning descriptor: Int32, canBeCut: Bool = true, calls: SystemCalls = SystemCalls()) {
        self.name = name
        self.descriptor = descriptor
        self.canBeCut = canBeCut
        self.calls = calls
        isOwned = true
        isTerminal = isatty(descriptor) == 1
    }

    private init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
        calls = SystemCalls()
        (isOwned, canBeCut) = (false, false)
        isTerminal = isatty(descriptor) == 1
    }

    /// Whether a path leads to a pipe, a character device or a descriptor, which is written to directly.
    package static func isStream(_ path: String) -> Bool {
        if descriptorNumber(path) != nil { return true }
        var information = stat()
        guard stat(path, &information) == 0 else { return false }
        return [S_IFIFO, S_IFCHR].contains(information.st_mode & S_IFMT)
    }

    /// The descriptor that a path such as `/dev/stdout` or `/dev/fd/3` stands for.
    private static func descriptorNumber(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
        return folder.flatMap { Int32(path.dropFirst($0.count)) }
    }

    /// Opens a regular file without following a link, or creates it.
    package static func openInPlace(
        _ path: String, mode: mode_t = 0o666
    ) throws(SystemError) -> (descriptor: Int32, status: stat) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SystemError(path: path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            throw SystemError(path: path, message: "is not a regular file")
        }
        guard status.st_nlink <= 1 else {
            Glibc.close(descriptor)
            throw SystemError(
                path: path, message: "has a second name (a hard link), under which it would change too")
        }
        return (descriptor, status)
    }

    /// The standard output of the process; it stays open.
    public static func standardOutput() -> OutputFile {
        OutputFile(name: "standard output", descriptor: STDOUT_FILENO)
    }

    deinit { try? close() }

    /// Writes a piece, such as a row, at once.
    ///
    /// - Throws: ``OutputError/readerGone`` for a closed pipe, which raises no signal; otherwise
    ///   ``OutputError/failed(name:message:)``.
    public func write(_ piece: String) throws(OutputError) {
        var text = piece
        let failure = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
        try finish(failure, byteCount: piece.utf8.count)
    }

    /// Writes a piece of bytes at once; errors as ``write(_:)-(String)``.
    public func write(_ piece: UnsafeRawBufferPointer) throws(OutputError) {
        try finish(write(piece, to: descriptor), byteCount: piece.count)
    }

    /// Writes the bytes of plain numbers at once; errors as ``write(_:)-(String)``.
    package func write<Number: BitwiseCopyable>(numbers: [Number]) throws(OutputError) {
        let failure = numbers.withUnsafeBytes { write($0, to: descriptor) }
        try finish(failure, byteCount: numbers.count * MemoryLayout<Number>.stride)
    }

    /// Overwrites the first bytes of the file.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``.
    package func overwriteBeginning(_ bytes: [UInt8]) throws(OutputError) {
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count else {
            throw .failed(name: name, message: Self.systemMessage(count < 0 ? errno : ENOSPC))
        }
    }

    /// Whether bytes that were written can be overwritten.
    package var isSeekable: Bool { canBeCut && lseek(descriptor, 0, SEEK_CUR) >= 0 }

    /// Removes the last `count` bytes that were written.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``; the bytes are then still there.
    package func truncate(by count: Int) throws(OutputError) {
        let end = off_t(byteCount - count)
        guard ftruncate(descriptor, end) == 0, lseek(descriptor, end, SEEK_SET) == end else {
            throw .failed(name: name, message: Self.systemMessage(errno))
        }
        byteCount -= count
    }

    /// Waits until everything written is on the disk, where the output is a file.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``. What was written since the last success may then be lost even
    ///   if a second attempt succeeds, so none is made.
    package func synchronize() throws(OutputError) {
        guard calls.synchronize(descriptor) != 0, errno != EINVAL, errno != EROFS else { return }
        throw .failed(name: name, message: "fsync: \(Self.systemMessage(errno))")
    }

    /// Closes a file; nothing may be written afterwards.
    ///
    /// - Throws: ``OutputError/failed(name:message:)`` when the system reports only now that bytes did not arrive.
    public func close() throws(OutputError) {
        guard isOwned, descriptor >= 0 else { return }
        let result = Glibc.close(descriptor)
        let code = errno
        descriptor = -1
        if result != 0, code != EINTR { throw .failed(name: name, message: Self.systemMessage(code)) }
    }

    private func finish(_ failure: Int32?, byteCount: Int) throws(OutputError) {
        guard let failure else {
            self.byteCount += byteCount
            return
        }
        if failure == EPIPE { throw .readerGone }
        if canBeCut, ftruncate(descriptor, off_t(self.byteCount)) == 0 {
            _ = lseek(descriptor, off_t(self.byteCount), SEEK_SET)
        }
        throw .failed(name: name, message: Self.systemMessage(failure))
    }

    /// Writes bytes, and returns the system's error number if it refuses.
    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = WriteSignals.withheld { calls.write(descriptor, piece) }
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

    package static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
}
