extension DetectionConfiguration {
    /// What the metadata of a model file says, as Ultralytics writes it: `task` is `detect`, and `names` is a Python
    /// dictionary from class to name. Nil where the file says nothing of the kind.
    package init?(metadata: [String: String]) {
        guard metadata["task"] == "detect" else { return nil }
        self.init()
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
}
