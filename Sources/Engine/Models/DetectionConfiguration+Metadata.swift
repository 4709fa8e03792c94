import Images
import NumPyFiles
import Platform

extension DetectionConfiguration {
    /// Reads the metadata that Ultralytics writes: `task` is `detect`, `segment`, `pose` or `obb` (the detection of
    /// turned boxes), `imgsz` the height and the width of pictures, `names` a Python dictionary from class to name,
    /// `kpt_shape` the number of points and of the numbers of each, and `kpt_names` a dictionary from class to the
    /// names of its points. Nil when `task` is another or missing.
    ///
    /// What overlaps is kept as `yolo predict` keeps it, where `author` is Ultralytics.
    package init?(metadata: [String: String]) {
        let isRotated = metadata["task"] == "obb"
        guard let task = isRotated ? .detect : metadata["task"].flatMap({ VisionTask(rawValue: $0) }),
            [.detect, .segment, .pose].contains(task)
        else { return nil }
        self.init()
        if task != .detect { self.task = task }
        if isRotated { decoder = DecoderName.yoloOBB.rawValue }
        if metadata["author"] == "Ultralytics" { suppression = Self.customarySuppression }
        keypointNames = metadata["kpt_names"].flatMap { Self.keypointNames($0) }
        keypointShape = metadata["kpt_shape"].flatMap { Self.numbers($0, 2, upTo: 10_000) }
        inputSize = metadata["imgsz"].flatMap { Self.size($0) }
        labels = metadata["names"].flatMap { Labels(pythonLiteral: $0) }
    }

    /// Source: `iou` and `max_det` of https://docs.ultralytics.com/modes/predict
    private static let customarySuppression = NonMaximumSuppression(threshold: 0.7, maximumCount: 300)

    /// The names of the points of the only class.
    private static func keypointNames(_ text: String) -> [String]? {
        guard text.utf8.count <= 1 << 16 else { return nil }
        var literal = PythonLiteral(text)
        guard case .dictionary(let entries)? = try? literal.wholeValue(), entries.count == 1,
            case .tuple(let values)? = entries.values.first
        else { return nil }
        let names = values.compactMap { value in
            if case .string(let name) = value { name } else { nil }
        }
        return names.count == values.count && !names.isEmpty ? names : nil
    }

    /// A list of `count` numbers, each from 1 to a maximum.
    private static func numbers(_ text: String, _ count: Int, upTo maximum: Int) -> [Int]? {
        guard text.utf8.count <= 64 else { return nil }
        let numbers = text.split { !"0123456789".contains($0) }.compactMap { Int($0) }
        return numbers.count == count && numbers.allSatisfy({ (1...maximum).contains($0) }) ? numbers : nil
    }

    /// A size written `[height, width]`, or as one number for both.
    fileprivate static func size(_ text: String) -> ImageSize? {
        guard text.utf8.count <= 64 else { return nil }
        let numbers = text.split { !"0123456789".contains($0) }.compactMap { Int($0) }
        guard let height = numbers.first, let width = numbers.last, numbers.count <= 2,
            numbers.allSatisfy({ (1...1 << 14).contains($0) })
        else { return nil }
        return ImageSize(width: width, height: height)
    }
}

extension Labels {
    /// The classes that `names` of a model's metadata says; nil where it says none.
    ///
    /// - Throws: ``ApusError/invalidModel(path:message:)`` when Ultralytics wrote it and it cannot be read.
    package static func named(in metadata: [String: String], model: String) throws(ApusError) -> Labels? {
        guard let text = metadata["names"] else { return nil }
        let labels = Labels(pythonLiteral: text)
        guard labels != nil || metadata["author"] != "Ultralytics" else {
            throw .invalidModel(
                path: model,
                message:
                    "\"names\" of its metadata is no dictionary from class to name: \(String(text.prefix(80)).printable)"
            )
        }
        return labels
    }

    /// Reads a Python dictionary from class to name, or a list of names; nil for anything else.
    package init?(pythonLiteral text: String) {
        guard text.utf8.count <= 1 << 20 else { return nil }
        var literal = PythonLiteral(text)
        var names: [Int: String] = [:]
        switch try? literal.wholeValue() {
        case .dictionary(let entries)?:
            for (key, value) in entries {
                guard let index = Int(key), index >= 0, case .string(let name) = value else { return nil }
                names[index] = name
            }
        case .tuple(let values)?:
            for (index, value) in values.enumerated() {
                guard case .string(let name) = value else { return nil }
                names[index] = name
            }
        default: return nil
        }
        guard !names.isEmpty else { return nil }
        self.init(byIndex: names)
    }
}

extension Preprocessing {
    /// The steps of Ultralytics' classifiers, by their metadata; nil for other metadata.
    ///
    /// Source: `classify_transforms` of https://github.com/ultralytics/ultralytics
    init?(classifierMetadata metadata: [String: String]) {
        guard metadata["author"] == "Ultralytics", metadata["task"] == "classify",
            let size = metadata["imgsz"].flatMap({ DetectionConfiguration.size($0) })
        else { return nil }
        self.init()
        resizing = size.width == size.height ? .shortestEdge(size.width) : .exact(size)
        (crop, cropRounding, scale) = (size, .torchvision, 1 / 255)
    }
}
