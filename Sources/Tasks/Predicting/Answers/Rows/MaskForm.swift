/// How masks are written in rows.
public enum MaskForm: String, Sendable, CaseIterable {
    /// The lengths of runs, compressed to text as COCO does.
    case rle
    /// The lengths of runs as a list of numbers.
    case counts
    /// Polygons along the borders of pixels, in pixels, with holes beside them.
    case polygons
}

extension String {
    /// Appends a mask: `"segmentation"`, and for polygons `"holes"`.
    package mutating func appendMask(_ runs: RunLengths, _ form: MaskForm) {
        append("\"segmentation\":")
        switch form {
        case .rle:
            append("{\"size\":[\(runs.size.height),\(runs.size.width)],\"counts\":")
            appendJSON(runs.compressed)
            append("}")
        case .counts:
            append("{\"size\":[\(runs.size.height),\(runs.size.width)],\"counts\":\(runs.counts.jsonText)}")
        case .polygons:
            let outline = runs.outline
            append("[" + outline.polygons.map(\.jsonText).joined(separator: ",") + "],\"holes\":[")
            append(outline.holes.map(\.jsonText).joined(separator: ",") + "]")
        }
    }
}
