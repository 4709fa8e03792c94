import Images
import Platform

extension DetectionConfiguration {
    /// Reads the metadata that Ultralytics writes: `task` is `detect`, `imgsz` the height and the width of pictures,
    /// and `names` a Python dictionary from class to name. Nil when `task` is another or missing.
    package init?(metadata: [String: String]) {
        guard metadata["task"] == "detect" else { return nil }
        self.init()
        inputSize = metadata["imgsz"].flatMap { Self.size($0) }
        guard let text = metadata["names"], text.utf8.count <= 1 << 20 else { return }
        var literal = PythonLiteral(text)
        guard case .dictionary(let entries)? = try? literal.wholeValue() else { return }
        var names: [Int: String] = [:]
        for (key, value) in entries {
            guard let index = Int(key), index >= 0, case .string(let name) = value else { return }
            names[index] = name
        }
        labels = Labels(byIndex: names)
    }

    /// A size written `[height, width]`, or as one number for both.
    private static func size(_ text: String) -> ImageSize? {
        guard text.utf8.count <= 64 else { return nil }
        let numbers = text.split { !"0123456789".contains($0) }.compactMap { Int($0) }
        guard let height = numbers.first, let width = numbers.last, numbers.count <= 2,
            numbers.allSatisfy({ (1...1 << 14).contains($0) })
        else { return nil }
        return ImageSize(width: width, height: height)
    }
}
