import Foundation
import Inference
import Platform

/// What is known of a run and its output: `OUTPUT.run.json`, beside the output.
///
/// It is replaced as a whole at every commit, after the rows it counts are on the disk.
public struct RunManifest: Sendable, Codable {
    /// How far a run is.
    public enum State: String, Sendable, Codable {
        /// Rows are being written, or the process died.
        case running
        /// A signal ended it early.
        case interrupted
        /// Errors ended it early.
        case stopped
        /// Every record has its row.
        case finished
    }

    /// The version of Apus that wrote it.
    public var version = Version.current
    /// The command that wrote the output, `predict` or `merge`; nil in manifests of earlier versions.
    public var command: String?
    /// How far the run is.
    public var state = State.running
    /// The sink's kind.
    public var format: String
    /// What the run computes.
    public var identity: RunIdentity
    /// How many records the run has; nil where that is not known before.
    public var total: Int?
    /// The rows that are committed.
    public var rows = RunRows()
    /// Where the sink left off.
    public var checkpoint = SinkCheckpoint()
    /// The length of the `RowIndex` of a shard's output; nil where there is none.
    public var index: SinkCheckpoint?
    /// The backends and devices.
    public var devices: [String] = []
    /// When it began.
    public var began = Date.now.formatted(.iso8601)
    /// How long it ran, in seconds, all its parts together.
    public var seconds = 0.0
    /// How long each stage was at work, in seconds of one thread, all parts of the run together.
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

    /// The path of the manifest of an output.
    public static func path(of output: String) -> String { output + SideFileSuffix.manifest }

    /// Whether a manifest beside an output says that a command wrote it. One that is damaged counts: reading it says what is
    /// wrong with it.
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

    /// Puts the manifest beside an output, in the place of the one that is there; afterwards it is on the disk.
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
