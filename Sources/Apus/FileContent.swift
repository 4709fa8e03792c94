import Formats
import Foundation

/// Reads whole files, with errors that say what is wrong.
enum FileContent {
    /// The most bytes of a file of labels, preprocessing or the like.
    private static let mostBytes = 64 << 20

    /// The most bytes of a file that holds a picture.
    static let mostPictureBytes = 256 << 20

    /// The most bytes taken from a pipe, whose length nobody knows before.
    private static let longestStream = 1 << 30

    /// The content of a file, or all that comes through a pipe.
    ///
    /// It is copied, never mapped: a mapped file that another program cuts short would end the process.
    ///
    /// - Parameter limit: The most bytes that are read; a longer file is an error.
    /// - Throws: ``ApusError/file(path:message:)``.
    static func read(_ path: String, atMost limit: Int = mostBytes) throws(ApusError) -> Data {
        let (descriptor, status) = try open(path)
        defer { close(descriptor) }
        guard status.isRegularFile else { return try readAll(descriptor, path, status, atMost: limit) }
        let size = Int(status.st_size)
        guard size <= limit else { throw .file(path: path, message: "has \(size) bytes; at most \(limit) are read") }
        return try readAll(descriptor, path, status, atMost: limit)
    }

    /// The content of a model, which is read from its file when it is wanted, or all that comes through a pipe.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    static func model(_ path: String) throws(ApusError) -> ModelContent {
        let (descriptor, status) = try open(path)
        if status.isRegularFile { return ModelContent(descriptor: descriptor, status: status) }
        defer { close(descriptor) }
        return ModelContent(try readAll(descriptor, path, status, atMost: longestStream))
    }

    /// The content of a model, or of the model in a folder that is a package, and the folder that the file lies in.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/invalidModel(path:message:)`` for other folders.
    static func modelOrPackage(_ path: String) throws(ApusError) -> (ModelContent, folder: URL) {
        let url = URL(fileURLWithPath: path)
        guard let package = CoreMLPackage(url) else { return (try model(path), url.deletingLastPathComponent()) }
        do {
            return try package.model()
        } catch {
            throw ApusError(error, path: path)
        }
    }

    /// Some bytes of a file; fewer, or none, at its end.
    static func read(_ path: String, from start: Int, count: Int) throws(ApusError) -> Data {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
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

    private static func readAll(
        _ descriptor: Int32, _ path: String, _ status: stat, atMost limit: Int
    ) throws(ApusError) -> Data {
        let silence = status.isNamedPipe(descriptor) ? longestSilence : nil
        if !status.isRegularFile { try awaitBytes(descriptor, path, atMost: silence) }
        var data = Data(count: max((status.isRegularFile ? Int(status.st_size) : 0) + 1, 1 << 16))
        var count = 0
        while true {
            if count == data.count { data.count *= 2 }
            let received = data.withUnsafeMutableBytes { bytes in
                Foundation.read(descriptor, bytes.baseAddress.map { $0 + count }, bytes.count - count)
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

    /// What the system says about an error number, without a capital letter.
    static func systemMessage(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
