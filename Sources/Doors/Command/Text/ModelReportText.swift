import Apus
import SharedOptions

extension ModelReport {
    /// The lines of the report.
    var lines: [String] {
        var table = TextTable([("", .left), ("", .left)])
        table.append(["model", network.isEmpty ? model : "\(model) (\(network))"])
        for (position, value) in inputs.enumerated() { table.append([position == 0 ? "inputs" : "", value.text]) }
        for (position, input) in furtherInputs.enumerated() {
            table.append([position == 0 ? "further inputs" : "", "\(input.name): \(input.way)"])
        }
        for (position, value) in outputs.enumerated() { table.append([position == 0 ? "outputs" : "", value.text]) }
        if let firstAxis { table.append(["batch", firstAxis]) }
        let counts = operators.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        for start in stride(from: 0, to: counts.count, by: 6) {
            let heading = start == 0 ? "operators" : ""
            table.append([heading, counts[start..<min(start + 6, counts.count)].joined(separator: ", ")])
        }
        table.append(["parameters", "\(parameters.grouped) (\(parameterBytes.grouped) bytes)"])
        let work = multiplyAdds.map { "\($0.grouped) for one image" } ?? "depend on the extents of the inputs"
        table.append(["multiply-adds", work])
        // Preprocessing and labels have separate lines.
        let entries = metadata.filter { !Model.isOwnMetadata($0.key) }
        for (position, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
            table.append([position == 0 ? "metadata" : "", "\(entry.key): \(Self.shortened(entry.value))"])
        }
        if let family {
            table.append(["family", "\(family.title), by \(family.evidence ?? "its name"); as \(family.source)"])
        } else if !possibleFamilies.isEmpty {
            let names = possibleFamilies.joined(separator: ", ")
            table.append(["family", "several fit, and none is taken: \(names) (see --family)"])
        }
        table.append(["preprocessing", preprocessing?.text ?? "none: the network does not take one picture"])
        table.append(["labels", labels?.text ?? "none"])
        table.append(["task", task.name.map { "\($0): \(task.evidence)" } ?? "none: \(task.evidence)"])
        if task.name == nil, !task.candidates.isEmpty {
            table.append(["", "what might fit: \(task.candidates.joined(separator: ", "))"])
        }
        if let reading = task.reading { table.append([objects == nil ? "answers" : "objects", reading]) }
        let list = nodes.map { [""] + $0.map(\.text.printable) } ?? []
        return table.lines() + list
    }

    /// A value of metadata; of a long one, such as a list of characters, the beginning.
    private static func shortened(_ value: String) -> String {
        value.count > 400 ? "\(value.prefix(80))… (\(value.count.grouped) characters)" : value
    }
}

extension ModelReport.Value {
    fileprivate var text: String {
        let extents = shape.map { "[\($0.joined(separator: ", "))]" } ?? " of unknown shape"
        return "\(name): \(elementType ?? "unknown")\(extents)" + (quantization.map { ", \($0.text)" } ?? "")
    }
}

extension ModelReport.Beside {
    fileprivate var text: String { "\(description), \(origin)" }
}
