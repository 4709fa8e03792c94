import Images
import Platform
import Vision

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
    private let options: SinkKind.RowOptions
    private let model: String
    private var isEmpty: Bool

    package init(_ output: RowFile, _ target: SinkTarget) {
        (self.output, options, model) = (output, target.options, target.identity?.model ?? "apus")
        isEmpty = target.checkpoint?.state["objects"] ?? 0 == 0
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
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

    /// The regions of a record's answer; nil where there is none, or one of another kind.
    private func regions(of record: PredictionRecord) throws(OutputError) -> [LabelStudioRegion]? {
        guard case .success(let answer) = record.answer else { return nil }
        func known(_ size: ImageSize?) throws(OutputError) -> ImageSize {
            if let size { return size }
            throw .failed(name: output.name, message: "\(record.id) is an array; regions need a picture")
        }
        switch answer {
        case .classes(let answer): return options.predictions(answer).prefix(1).map { .choice($0) }
        case .objects(let detection):
            let size = try known(detection.imageSize)
            return detection.objects.map { .rectangle($0, in: size) }
        case .instances(let segmentation): return segmentation.instances.flatMap(LabelStudioRegion.polygons)
        case .poses(let estimation):
            let size = try known(estimation.imageSize)
            return estimation.poses.reduce(into: []) { regions, pose in
                regions += LabelStudioRegion.pose(pose, in: size, behind: regions.count)
            }
        case .landmarks(let landmarks):
            return LabelStudioRegion.points(landmarks.points, in: try known(landmarks.imageSize), parent: nil)
        default: return nil
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
