import Platform
import Vision

extension NetworkOutputs: RowAnswer {
    static let content = ImageAnswer.Content.outputs

    var summary: String { "\(outputs.count) outputs" }
    var numberRow: [Float]? { outputs.count == 1 ? outputs[0].tensor.elements(as: Float.self) : nil }

    func jsonMembers(_ row: RowContext) -> String {
        "\"outputs\":[\(outputs.map(\.jsonText).joined(separator: ","))]" + row.fileMembers("arrays")
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("output", "type", "shape", "values")
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        outputs.map { output in
            let numbers = output.writtenNumbers?.map(\.description).joined(separator: " ")
            let extents = output.tensor.shape.map(String.init).joined(separator: " ")
            return [.text(output.name), .text("\(output.tensor.elementType)"), .text(extents), .text(numbers)]
        }
    }

    func tableLines(_ row: RowContext) -> [TableLine] { outputs.map { TableLine(text: $0.summary) } }
}

extension NetworkOutputs.Output {
    /// The numbers of an output that has few enough for a row of text; nil for others.
    fileprivate var writtenNumbers: [Float]? {
        tensor.elementCount <= 4096 ? tensor.elements(as: Float.self) : nil
    }

    /// The output as JSON.
    fileprivate var jsonText: String {
        var text = "{\"name\":"
        text.appendJSON(name)
        text += ",\"type\":\"\(tensor.elementType)\",\"shape\":\(tensor.shape.jsonText),\"values\":"
        if let numbers = writtenNumbers { text.appendJSON(numbers) } else { text += "null" }
        return text + "}"
    }

    /// The name, the shape, and the numbers or their range, on one line.
    fileprivate var summary: String {
        let values = tensor.elements(as: Float.self)
        let extents = tensor.shape.map(String.init).joined(separator: ", ")
        let text = "\(name.printable) \(tensor.elementType)[\(extents)]"
        if values.count <= 4 { return text + "  " + values.map(\.description).joined(separator: " ") }
        guard let minimum = values.min(), let maximum = values.max() else { return text }
        return text + "  \(minimum) to \(maximum)"
    }
}
