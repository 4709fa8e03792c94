import FoundationEssentials
import Glibc
import Tensors

/// A regular file that is open for reading.
final class ModelFile: Sendable {
    let byteCount: Int
    private let descriptor: Int32
    private let version: Version

    /// Properties that change when a file is written to or truncated. Replacing the file by another leaves the open one
    /// unchanged.
    private struct Version: Equatable {
        let byteCount: off_t
        let modified: [Int]

        init(_ status: stat) {
            byteCount = status.st_size
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    /// Takes over an open descriptor.
    init(descriptor: Int32, status: stat) {
        self.descriptor = descriptor
        version = Version(status)
        byteCount = Int(status.st_size)
        MemoryBudget.process.earn(modelByteCount: Self.storedByteCount(status))
    }

    /// Opens the file at `location`, a relative path in a model file.
    ///
    /// Symbolic links are followed only within the folder, so that a model cannot reach files that do not belong to it.
    init(_ location: String, in folder: URL) throws(FormatError) {
        let parts = location.pathParts(omittingEmpty: false)
        guard !location.isEmpty, !location.utf8.contains(0) else { throw .invalid("names no file") }
        guard !location.isAbsolutePath, !parts.contains("..") else {
            throw .invalid("\"\(location)\" leads outside the model's folder")
        }
        let opened = try PlaceBeneath.open(location, in: folder.path)
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw .unreadable("\"\(location)\" is not a regular file")
        }
        descriptor = opened
        version = Version(status)
        byteCount = Int(status.st_size)
        MemoryBudget.process.earn(modelByteCount: Self.storedByteCount(status))
    }

    /// The bytes that are stored for a file; a sparse file can declare any number more.
    private static func storedByteCount(_ status: stat) -> Int { min(Int(status.st_size), Int(status.st_blocks) * 512) }

    deinit { close(descriptor) }

    /// Fills `buffer` with bytes, beginning at `offset`.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) {
        guard let start = buffer.baseAddress else { return }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, start + done, buffer.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.systemError("it") }
            guard count > 0 else { throw Self.becameShorter }
            done += count
        }
    }

    /// Reads like ``read(from:into:)``, unless the file has been written to since it was opened.
    func readUnchanged(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(TensorError) {
        do throws(FormatError) {
            try read(from: offset, into: buffer)
        } catch {
            throw .unreadable("weights that are still in the file cannot be read: \(error)")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Version(status) == version else {
            throw .unreadable("the file was overwritten while weights were still in it; load the model again")
        }
    }

    static let becameShorter = FormatError.unreadable("it became shorter while being read")

    static func systemError(_ name: String) -> FormatError {
        .unreadable("\(name) could not be read: \(String(cString: strerror(errno)))")
    }
}
