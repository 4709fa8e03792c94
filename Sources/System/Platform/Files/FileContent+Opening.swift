import Glibc

extension FileContent {
    /// How long a named pipe may be silent where the task has no deadline. A pipe that no process has opened for
    /// writing looks the same as a silent one.
    static let maximumSilence = Duration.seconds(10)

    /// The message for files such as `/proc/kmsg`, which count as regular files but have no end.
    static let endless = "has no end"

    /// Opens a file or a pipe.
    ///
    /// - Parameter takesDevices: Whether devices are opened too.
    package static func open(
        _ path: String, takesDevices: Bool = false
    ) throws(ApusError) -> (descriptor: Int32, status: stat) {
        // Some devices act when they are opened.
        var status = stat()
        if stat(path, &status) == 0, let refusal = status.refusal, !(takesDevices && status.isDevice) {
            throw .file(path: path, message: refusal)
        }
        // Without O_NONBLOCK a named pipe without a writer would block the process without end.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .file(path: path, message: errno == ENOENT ? "no such file" : systemMessage(errno))
        }
        let refusal = fstat(descriptor, &status) == 0 ? status.refusal : systemMessage(errno)
        guard let refusal, !(takesDevices && status.isDevice) else { return (descriptor, status) }
        close(descriptor)
        throw .file(path: path, message: refusal)
    }

    /// Waits until a pipe gives bytes or ends.
    ///
    /// - Parameter limit: How long to wait where the task has no deadline; nil for no limit.
    /// - Throws: ``ApusError/file(path:message:)`` when nothing comes in time; ``ApusError/cancelled`` when the task or
    ///   its run is asked to end.
    static func awaitBytes(_ descriptor: Int32, _ path: String, atMost limit: Duration?) throws(ApusError) {
        let time = BlockingExecutor.time ?? limit.map { RunningTime(limit: $0) }
        while true {
            if GracefulStop.isEnding { throw .cancelled }
            let left = time.map { $0.left / .milliseconds(1) } ?? .infinity
            guard left > 0 else { throw .file(path: path, message: "the pipe gives no bytes") }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, Int32(min(left, 100).rounded(.up)))
            if count > 0 || count < 0 && errno != EINTR { return }
        }
    }
}

extension stat {
    /// Whether this is a regular file.
    package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }

    /// Whether this is a device.
    fileprivate var isDevice: Bool { [S_IFCHR, S_IFBLK].contains(st_mode & S_IFMT) }

    /// Whether this is a pipe with a name in a file system, which its writer may still have to open.
    func isNamedPipe(_ descriptor: Int32) -> Bool {
        guard st_mode & S_IFMT == S_IFIFO else { return false }
        // A shell's pipes are called pipe:[NUMBER].
        var start = [CChar](repeating: 0, count: 5)
        let count = readlink("/proc/self/fd/\(descriptor)", &start, start.count)
        return count < start.count || !start.elementsEqual("pipe:".utf8.map { CChar(bitPattern: $0) })
    }

    /// Why this is not read; nil for files and pipes.
    fileprivate var refusal: String? {
        switch st_mode & S_IFMT {
        case S_IFREG, S_IFIFO: nil
        case S_IFDIR: "is a folder, not a file"
        case S_IFSOCK: "is a socket, not a file"
        default: "is a device, not a file"
        }
    }
}
