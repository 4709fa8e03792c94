import FoundationEssentials
import Glibc
import Models
import Platform
import Predicting

/// The progress and checksums of a run, kept in `OUTPUT.run.json` beside the output.
///
/// Every commit replaces the whole file, after the rows that it counts are on the disk.
public struct RunManifest: Sendable, Codable {
    /// The state of a run.
    public enum State: String, Sendable, Codable {
        /// Rows are being written, or the process died.
        case running
        /// A signal ended the run early.
        case interrupted
        /// Errors ended the run early.
        case stopped
        /// Every record has its row.
        case finished
    }

    /// The version of Apus that wrote the manifest.
    public var version = Version.current
    /// The command that wrote the output: `predict` or `merge`; nil in manifests of versions that did not
    /// record it.
    public var command: String?
    /// The state of the run.
    public var state = State.running
    /// The name of the sink's kind.
    public var format: String
    /// The model, options and list on which the rows depend.
    public var identity: RunIdentity
    /// The number of records of the run; nil when not known in advance.
    public var total: Int?
    /// The rows that are committed.
    public var rows = RunRows()
    /// The point up to which the sink has committed.
    public var checkpoint = SinkCheckpoint()
    /// The checkpoint of the `RowIndex` of a shard's output; nil without an index.
    public var index: SinkCheckpoint?
    /// The backends that the run could use, and their devices.
    public var devices: [String] = []
    /// The time when the run began, in ISO 8601.
    public var began = Date.now.formatted(.iso8601)
    /// The duration of all parts of the run in seconds.
    public var seconds = 0.0
    /// The time that each stage worked in all parts of the run, in thread-seconds.
    public var stageSeconds: [String: Double] = [:]

    /// The command of a run.
    package static let predicting = "predict"
    /// The command that joins the outputs of shards.
    package static let merging = "merge"

    package init(format: String, identity: RunIdentity, total: Int?) {
        command = Self.predicting
        self.format = format
        self.identity = identity
        self.total = total
    }

    /// The manifest of the same run before its first row.
    var begun: RunManifest {
        var manifest = RunManifest(format: format, identity: identity, total: total)
        manifest.command = command
        return manifest
    }

    /// The path of the manifest of an output.
    public static func path(of output: String) -> String { output + SideFileSuffix.manifest }

    /// Whether a manifest beside an output says that a command wrote the output. A damaged manifest counts too; reading
    /// it reports the damage.
    static func isBeside(output: String, by command: String) -> Bool {
        do {
            guard let manifest = try read(besideOutput: output) else { return false }
            return manifest.command ?? predicting == command
        } catch {
            return true
        }
    }

    /// Reads the manifest beside an output; nil when there is none.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public static func read(besideOutput output: String) throws(ApusError) -> RunManifest? {
        let path = path(of: output)
        guard access(path, F_OK) == 0 else { return nil }
        let data = try FileContent.read(path)
        guard let manifest = try? JSONDecoder().decode(RunManifest.self, from: data) else {
            throw .file(path: path, message: "is not the manifest of a run")
        }
        if let contradiction = manifest.contradiction {
            throw .file(path: path, message: "is not the manifest of a run: \(contradiction)")
        }
        return manifest
    }

    /// Writes the manifest beside an output, replacing an existing one, and synchronizes it to the disk.
    package func write(besideOutput output: String, calls: SystemCalls) throws(OutputError) {
        let path = Self.path(of: output)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text: String
        do {
            text = String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        } catch {
            throw .failed(name: path, message: "\(error)")
        }
        do {
            let place = try FilePlace(path, followsLink: false)
            try OutputFile.replace(
                place.name, in: OutputFolder(path: place.folder), isDurable: true, calls: calls
            ) { try $0.write(text) }
        } catch let error as OutputError {
            throw error
        } catch {
            throw .failed(name: path, message: (error as? SystemError)?.message ?? "\(error)")
        }
    }
}
