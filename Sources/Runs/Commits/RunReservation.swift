import Foundation
import Platform

/// An output that this process alone writes to, and what an earlier run has left in it.
///
/// Made before the model is read, so that an output that cannot be written is known at once. The file itself is locked, so
/// that it does not matter by which name another process reaches it; the lock goes with the process, however that ends.
public final class RunReservation: Sendable {
    /// The output's path; where a link to a file was given, the file's own, beside which the manifest lies.
    public let path: String
    /// The earlier run, when this one goes on with it.
    public let earlier: RunManifest?

    private let lock: OutputLock

    /// Takes an output for a run.
    ///
    /// - Parameter resuming: Whether the run goes on where an earlier one ended. Without one it starts from the beginning.
    /// - Throws: ``ApusError/usage(_:)`` when another process writes to the output, naming it, or when an unfinished run
    ///   lies there and `resuming` is false; ``ApusError/file(path:message:)`` when the output cannot be written.
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
        guard manifest.state == .finished || byteCount == 0 else {
            throw .usage(
                "\(path): holds \(rows) \(rows == 1 ? "row" : "rows") of a run that is not finished; go on with "
                    + "--resume, or remove the file")
        }
        return nil
    }
}
