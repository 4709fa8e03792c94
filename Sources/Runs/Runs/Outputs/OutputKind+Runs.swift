import Platform

extension OutputKind {
    /// Rows of `apus predict`, in the format of a sink.
    package static func rows(_ format: SinkKind) -> OutputKind { rows(format.name, by: RunManifest.predicting) }

    /// Rows of shards, joined by `apus merge`.
    package static func mergedRows(_ format: String) -> OutputKind { rows(format, by: RunManifest.merging) }

    private static func rows(_ format: String, by command: String) -> OutputKind {
        OutputKind(
            command: command, mark: .sideFile { RunManifest.isBeside(output: $0, by: command) },
            sideSuffixes: sideSuffixes(format), isWrittenInPlace: true)
    }

    private static func sideSuffixes(_ format: String) -> [String] {
        switch format {
        case SinkKind.numPy.name: SideFileSuffix.ofRuns + [SideFileSuffix.records]
        case SinkKind.sqlite.name: SideFileSuffix.ofRuns + SideFileSuffix.ofDatabases
        default: SideFileSuffix.ofRuns
        }
    }
}
