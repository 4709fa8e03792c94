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

    /// A picture of `apus predict --draw`.
    package static let drawing = OutputKind(command: "predict", mark: .bytes(DrawingFolder.mark, within: 64))

    /// Arrays of `apus predict --arrays`.
    package static let arrays = OutputKind(
        command: "predict", mark: .bytes(NumPyArchiveFolder.mark, within: 128))

    /// A map of `apus predict --depth`.
    package static let depth = OutputKind(command: "predict", mark: .bytes(DepthFolder.mark, within: 192))

    /// A picture of `apus predict --images`.
    package static let image = OutputKind(command: "predict", mark: .bytes(ImageFolder.mark, within: 128))

    /// Boxes of `apus predict --yolo`.
    package static let yolo = OutputKind(command: "predict", mark: .bytes(YOLOFolder.mark, within: 128))

    /// Boxes of `apus predict --voc`.
    package static let voc = OutputKind(command: "predict", mark: .bytes(VOCFolder.mark, within: 64))

    /// A page of `apus predict --hocr`.
    package static let hOCR = OutputKind(command: "predict", mark: .bytes(HOCRFolder.mark, within: 128))

    /// A cut-out of `apus predict --cutouts`.
    package static let cutout = OutputKind(command: "predict", mark: .bytes(CutoutFolder.mark, within: 64))

    /// A mask of `apus predict --masks`.
    package static let mask = OutputKind(command: "predict", mark: .bytes(MaskFolder.mark, within: 64))
}
