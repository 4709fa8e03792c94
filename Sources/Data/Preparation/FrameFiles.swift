import Glibc
import Images
import Platform
import Synchronization

/// The files whose frames or pages are decoded one after the other, so that each is read and walked once.
enum FrameFiles {
    /// A file, which is another one when its content has changed.
    private struct Identity: Equatable {
        let device, number, byteCount, seconds, nanoseconds: Int

        init(_ status: stat) {
            (device, number) = (Int(status.st_dev), Int(truncatingIfNeeded: status.st_ino))
            byteCount = Int(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private struct Entry {
        let path: String
        let identity: Identity
        weak var frames: PictureFrames?
        /// The same, so that it stays until all its frames were asked for; nil for a large file.
        var kept: PictureFrames?
    }

    private static let maximumKeptByteCount = 64 << 20
    private static let maximumCount = 2
    private static let entries = Mutex<[Entry]>([])

    /// The frames of a file.
    ///
    /// - Throws: ``ApusError`` when it cannot be read.
    static func frames(_ path: String) throws(ApusError) -> PictureFrames {
        var status = stat()
        guard stat(path, &status) == 0, status.isRegularFile else {
            return PictureFrames(try FileContent.read(path, atMost: FileContent.maximumPictureByteCount))
        }
        let identity = Identity(status)
        return try entries.withLock { entries throws(ApusError) in
            entries.removeAll { $0.frames == nil || $0.path == path && $0.identity != identity }
            if let frames = entries.first(where: { $0.path == path })?.frames { return frames }
            let frames = PictureFrames(try FileContent.read(path, atMost: FileContent.maximumPictureByteCount))
            if entries.count >= maximumCount { entries.removeFirst() }
            let isKept = frames.byteCount <= maximumKeptByteCount
            entries.append(Entry(path: path, identity: identity, frames: frames, kept: isKept ? frames : nil))
            return frames
        }
    }

    /// Lets go of a file all of whose frames were asked for.
    static func release(_ path: String, _ frames: PictureFrames) {
        guard frames.isDone else { return }
        entries.withLock { $0.removeAll { $0.frames === frames } }
    }
}
