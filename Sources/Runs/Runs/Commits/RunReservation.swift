import Platform

/// The exclusive reservation of an output, with the earlier run that wrote to it.
///
/// It is made before the model is read, so that an unwritable output is noticed at once. The lock is on the file
/// itself, so it also holds when another process uses another name for it. The lock ends with the process.
public final class RunReservation: Sendable {
    /// The output's path, with links resolved. The manifest lies beside it.
    public let path: String
    /// The manifest of the earlier run that this one resumes; nil for a new run.
    public let earlier: RunManifest?

    private let lock: OutputLock

    /// Reserves an output for a run.
    ///
    /// A merge that did not end has no rows to keep, so that it may be begun again.
    ///
    /// - Parameter resuming: Whether an earlier run is resumed. If there is none, the run starts from the beginning.
    /// - Throws: ``ApusError/usage(_:)`` when another process, which the message names, writes to the output, or when
    ///   the output belongs to an unfinished run and `resuming` is false; ``ApusError/file(path:message:)`` when the
    ///   output cannot be written.
    public init(path: String, resuming: Bool = false) throws(ApusError) {
        let place = try FilePlace(path)
        lock = try OutputLock(place, named: path)
        self.path = place.path
        earlier = try Self.earlierRun(place.path, byteCount: lock.byteCount, resuming: resuming)
        lock.removeLeftovers(besides: [""] + SideFileSuffix.ofRuns + [SideFileSuffix.records])
    }

    private static func earlierRun(
        _ path: String, byteCount: Int, resuming: Bool
    ) throws(ApusError) -> RunManifest? {
        guard let manifest = try RunManifest.read(besideOutput: path) else {
            guard byteCount > 0 else { return nil }
            if resuming {
                throw .usage("\(path): cannot be resumed, since \(RunManifest.path(of: path)) is missing")
            }
            return nil
        }
        let rows = manifest.rows.finished.count
        if resuming {
            guard byteCount > 0 || rows == 0 else {
                throw .usage("\(path): cannot be resumed, since the file is missing")
            }
            return manifest
        }
        let isMerge = manifest.command == RunManifest.merging
        guard manifest.state == .finished || byteCount == 0 || isMerge else {
            throw .usage(
                "\(path): holds \(rows) \(rows == 1 ? "row" : "rows") of a run that is not finished; go on with "
                    + "--resume, or remove the file")
        }
        return nil
    }
}
