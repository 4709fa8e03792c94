import Platform
import Vision

extension CSVSink {
    /// The columns of objects with masks. `number` is that of an object's pixels in the file of masks.
    static let instanceColumns = [
        "id", "error", "mask", "number", "index", "label", "confidence", "area", "x", "y", "width", "height",
    ]

    /// The rows of a record with objects with masks; one with empty cells where there are none.
    static func instanceRows(of record: PredictionRecord) -> [[String]] {
        let (id, mask) = (cell(record.id), cell(record.files["mask"] ?? ""))
        let empty = [String](repeating: "", count: instanceColumns.count - 3)
        switch record.instances {
        case .success(let segmentation):
            let rows = segmentation.instances.enumerated().map { position, instance in
                let box = instance.box
                return [
                    id, "", mask, String(position + 1), String(instance.label.index), cell(instance.label.label ?? ""),
                    instance.confidence.description, String(instance.area),
                ] + [box.x, box.y, box.width, box.height].map(\.description)
            }
            return rows.isEmpty ? [[id, "", mask] + empty] : rows
        case .failure(let error):
            return [[id, cell("\(error.stage)/\(error.code): \(error.message)"), ""] + empty]
        }
    }
}
