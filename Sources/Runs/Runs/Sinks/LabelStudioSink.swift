import Images
import Platform
import Predicting

/// Writes answers as tasks of Label Studio with predictions: one JSON list, which its import takes.
///
///     [
///     {"data":{"image":"a.jpg"},"predictions":[{"model_version":"a.onnx","score":0.9,"result":[{"id":"1", …}]}]}
///     ]
///
/// Places are in percent of the picture. A labelling configuration has an `Image` called `image`, and for it
///
/// - `Choices` called `choice` for classes;
/// - `RectangleLabels` called `label` for objects, and for the boxes of people and hands;
/// - `PolygonLabels` called `polygon` for masks of objects, each outline a region of its own, without holes;
/// - `KeyPointLabels` called `keypoint` for named points, which have the box of their person as parent.
///
/// The image is the record's id. Pictures without objects have a prediction without results, and those with errors no
/// entry.
///
/// Source: https://labelstud.io/guide/predictions
public struct LabelStudioSink: Sink {
    private let output: RowFile
    private let options: RowOptions
    private let model: String
    private var isEmpty: Bool

    package init(_ output: RowFile, _ target: SinkTarget) {
        (self.output, options, model) = (output, target.options, target.identity?.model ?? "apus")
        isEmpty = target.checkpoint?.state["objects"] ?? 0 == 0
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        guard let regions = try regions(of: record) else { return }
        var text = COCOSink.separator(isFirst: isEmpty) + "{\"data\":{\"image\":"
        isEmpty = false
        text.appendJSON(record.id)
        text += "},\"predictions\":[{\"model_version\":"
        text.appendJSON(model)
        text += ",\"score\":"
        // The points of a person say nothing of whether it is one.
        text.appendJSON(regions.filter { $0.parent == nil }.compactMap(\.score).max() ?? 0)
        text += ",\"result\":["
        text += regions.enumerated().map { $1.json(number: $0 + 1) }.joined(separator: ",")
        try output.write(text + "]}]}")
    }

    /// The regions of a record's answer; nil where there is none.
    private func regions(of record: PredictionRecord<ImageAnswer>) throws(OutputError) -> [LabelStudioRegion]? {
        guard case .success(let answer) = record.answer else { return nil }
        do throws(RegionsWithoutSize) {
            return try answer.base.labelStudioRegions(options)
        } catch {
            throw .failed(name: output.name, message: "\(record.id) is an array; regions need a picture")
        }
    }

    private var state: [String: Int] { ["objects": isEmpty ? 0 : 1] }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint { try output.commit(state: state) }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try output.write(COCOSink.end(isEmpty: isEmpty))
        return try output.finish(state: state)
    }
}
