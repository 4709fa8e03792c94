import Formats
import Foundation

/// What a command writes, and how a file shows that an earlier run of the same command made it.
package struct OutputKind: Sendable {
    /// What a file is known by.
    enum Mark: Sendable {
        /// Bytes among the first of the file.
        case bytes([UInt8], within: Int)
        /// The manifest of a run beside it.
        case manifest
        /// Being listed in a file of the same folder.
        case list
    }

    /// The command, without `apus`.
    package let command: String
    let mark: Mark
    /// What the names of files end in that are written beside the output.
    var sideSuffixes: [String] = []
    /// Whether the file is written where it lies, not put in the place of the one that is there.
    var isWrittenInPlace = false
}

extension OutputKind {
    /// Rows of `apus predict`, in the form of a sink.
    package static func rows(_ format: SinkKind) -> OutputKind {
        OutputKind(
            command: RunManifest.predicting, mark: .manifest, sideSuffixes: sideSuffixes(format.name),
            isWrittenInPlace: true)
    }

    /// Rows of shards, joined by `apus merge`.
    package static func mergedRows(_ format: String) -> OutputKind {
        OutputKind(
            command: RunManifest.merging, mark: .manifest, sideSuffixes: sideSuffixes(format), isWrittenInPlace: true)
    }

    private static func sideSuffixes(_ format: String) -> [String] {
        switch format {
        case SinkKind.numPy.name: RunManifest.sideSuffixes + [NumPySink.recordsSuffix]
        case SinkKind.sqlite.name: RunManifest.sideSuffixes + ["-wal", "-shm", "-journal"]
        default: RunManifest.sideSuffixes
        }
    }

    /// A page of `--report`.
    package static func page(_ kind: ReportPage.Kind) -> OutputKind {
        OutputKind(command: kind.command, mark: .bytes(Array(ReportPage.mark(kind).utf8), within: 1024))
    }

    /// What happened when, of `--trace`.
    package static func trace(of command: String) -> OutputKind {
        OutputKind(command: command, mark: .bytes(Array(TraceFile.mark(command).utf8), within: 256))
    }

    /// A network as ONNX.
    package static func network(_ origin: Model.ExportOptions.Origin) -> OutputKind {
        OutputKind(command: origin.rawValue, mark: .bytes(ONNXFormat.mark(producer: origin.producer), within: 64))
    }

    /// A type in Swift.
    package static let swiftType = OutputKind(
        command: "generate", mark: .bytes(Array(SwiftWrapper.firstLine.utf8), within: SwiftWrapper.firstLine.utf8.count)
    )

    /// An array in the folder of `apus run`.
    package static let array = OutputKind(command: "run", mark: .list)

    /// The list of those arrays.
    package static let arrayList = OutputKind(command: "run", mark: .list)

    /// A picture of `apus predict --draw`.
    package static let drawing = OutputKind(command: "predict", mark: .bytes(DrawingFolder.mark, within: 64))
}
