import Inference

extension Catalog {
    /// The kinds of sinks that answers can be written to.
    public static let sinks: [SinkKind] = [
        .table, .csv, .jsonLines, .numPy, .sqlite, .coco, .labelStudio, .plainText, .hOCR,
    ]
}
