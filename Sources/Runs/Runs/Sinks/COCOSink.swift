import Platform
import Predicting

/// Writes objects, masks or people with points as COCO results, the input of COCO's evaluation: one JSON list,
/// with boxes in pixels from the upper left.
///
///     [
///     {"image_id":397133,"category_id":1,"bbox":[385.5,69.8,114.2,276.4],"score":0.99}
///     ]
///
/// Objects and classes of pixels with masks have `"segmentation"` in the form of ``RowOptions/maskForm``, by
/// default `{"size":[height,width],"counts":"…"}`, compressed runs; classes of pixels have the score 1. People and
/// landmarks have `"keypoints":[x, y, confidence, …]`, places in pixels.
///
/// `image_id` is the number in a file name that consists of digits only, without its extension and leading zeros; for
/// other names, the record's id as text. `category_id` comes from the sidecar's `category_ids`. Without them it is
/// COCO's own number for networks with its 80 classes, and the class's position for others. Pictures without objects
/// and those with errors have no entry.
///
/// Source: https://cocodataset.org/#format-results
public struct COCOSink: Sink {
    private let output: RowFile
    private let categoryIDs: [Int]?
    private let maskForm: MaskForm
    private var isEmpty: Bool

    package init(_ output: RowFile, _ target: SinkTarget) {
        self.output = output
        categoryIDs = target.categoryIDs ?? COCOEntry.customaryCategoryIDs(classCount: target.classCount)
        maskForm = target.options.maskForm
        isEmpty = target.checkpoint?.state["objects"] ?? 0 == 0
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        guard case .success(let answer) = record.answer else { return }
        let entries = answer.base.cocoEntries
        guard !entries.isEmpty else { return }
        guard let size = answer.imageSize else {
            throw .failed(
                name: output.name, message: "\(record.id) is an array; places in pixels need a picture with a size")
        }
        var text = ""
        for entry in entries {
            text += Self.separator(isFirst: isEmpty)
            isEmpty = false
            text += "{\"image_id\":"
            text.appendImageID(record.id)
            text += ",\"category_id\":\(entry.category(categoryIDs))"
            text.append(entry, in: size, maskForm: maskForm)
            text += "}"
        }
        try output.write(text)
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try output.commit(state: state)
    }

    private var state: [String: Int] { ["objects": isEmpty ? 0 : 1] }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try output.write(Self.end(isEmpty: isEmpty))
        return try output.finish(state: state)
    }

    /// The text after the last object.
    package static func end(isEmpty: Bool) -> String { isEmpty ? "[]\n" : "\n]\n" }

    /// The text before an object.
    package static func separator(isFirst: Bool) -> String { isFirst ? "[\n" : ",\n" }
}

extension String {
    fileprivate mutating func appendImageID(_ id: String) {
        let file = id.split(separator: "/").last ?? ""
        let stem = file.split(separator: ".").first ?? ""
        if !stem.isEmpty, stem.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(stem) {
            append(String(number))
        } else {
            appendJSON(id)
        }
    }
}
