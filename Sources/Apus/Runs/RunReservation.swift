import Foundation

/// An output that this process alone writes to, and what an earlier run has left in it.
///
/// Made before the model is read, so that an output that cannot be written is known at once. The lock goes with the
/// process, however that ends.
public final class RunReservation: Sendable {
    /// The output's path.
    public let path: String
    /// The earlier run, when this one goes on with it.
    public let earlier: RunManifest?

    private let descriptor: Int32
    private var lockPath: String { path + ".run.lock" }

    /// Takes an output for a run.
    ///
    /// - Parameter resuming: Whether the run goes on where an earlier one ended. Without one it starts anew.
    /// - Throws: ``ApusError/usage(_:)`` when another process writes to the output, naming it, or when an unfinished run
    ///   lies there and `resuming` is false; ``ApusError/file(path:message:)`` when the output cannot be written.
    public init(path: String, resuming: Bool = false) throws(ApusError) {
        self.path = path
        descriptor = try Self.lock(path + ".run.lock", output: path)
        do throws(ApusError) {
            earlier = try Self.earlierRun(path, resuming: resuming)
            let file = open(path, O_WRONLY | O_CLOEXEC)
            guard file >= 0 || errno == ENOENT else {
                throw .file(path: path, message: OutputFile.systemMessage(errno))
            }
            if file >= 0 { close(file) }
        } catch {
            unlink(path + ".run.lock")
            close(descriptor)
            throw error
        }
    }

    deinit {
        unlink(lockPath)
        close(descriptor)
    }

    private static func earlierRun(_ path: String, resuming: Bool) throws(ApusError) -> RunManifest? {
        var information = stat()
        let isThere = stat(path, &information) == 0
        guard let manifest = try RunManifest.read(besideOutput: path) else {
            guard isThere, information.st_size > 0 else { return nil }
            if resuming {
                throw .usage("\(path): cannot be resumed, since \(RunManifest.path(of: path)) is missing")
            }
            return nil
        }
        if resuming, !isThere { throw .usage("\(path): cannot be resumed, since the file is missing") }
        if resuming { return manifest }
        guard manifest.state == .finished || !isThere else {
            let rows = manifest.rows.finished.count
            throw .usage(
                "\(path): holds \(rows) \(rows == 1 ? "row" : "rows") of a run that is not finished; go on with "
                    + "--resume, or remove the file")
        }
        return nil
    }

    private static var hostName: String? {
        guard let data = try? FileContent.read("/proc/sys/kernel/hostname") else { return nil }
        return String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Opens and locks a file that names this process.
    private static func lock(_ path: String, output: String) throws(ApusError) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw .file(path: output, message: OutputFile.systemMessage(errno)) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { close(descriptor) }
                guard code == EWOULDBLOCK else { throw .file(path: output, message: OutputFile.systemMessage(code)) }
                let owner = (try? FileContent.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                throw .usage("\(output): is being written by \(owner.isEmpty ? "another process" : owner)")
            }
            // Whoever held the lock before may have removed the file between the two calls.
            var (opened, named) = (stat(), stat())
            if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino {
                let owner = "process \(getpid())\(hostName.map { " on \($0)" } ?? "")"
                let isWritten = ftruncate(descriptor, 0) == 0 && pwrite(descriptor, owner, owner.utf8.count, 0) >= 0
                if isWritten { return descriptor }
                let code = errno
                close(descriptor)
                throw .file(path: path, message: OutputFile.systemMessage(code))
            }
            close(descriptor)
        }
    }
}
