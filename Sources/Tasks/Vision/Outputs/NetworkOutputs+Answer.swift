import Images
import Platform
import Predicting
import Preparation
import Tensors

extension NetworkOutputs: TaskAnswer {
    package static let kind = "outputs"
    package static let reasonForNoArray =
        "an array of rows takes one output of fixed extents; name it with --output-name"
    package static let forms: AnswerForms = [.numbers]

    package var summary: String { "\(outputs.count) outputs" }
    package var numberRow: RowNumbers? { outputs.count == 1 ? try? RowNumbers(outputs[0].tensor) : nil }

    package func jsonMembers(_ row: RowContext) -> String {
        "\"outputs\":[\(outputs.map(\.jsonText).joined(separator: ","))]" + row.fileMembers("arrays")
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("output", "type", "shape", "values")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        outputs.map { output in
            let numbers = output.writtenElements?.map(\.text).joined(separator: " ")
            let extents = output.tensor.shape.map(String.init).joined(separator: " ")
            return [.text(output.name), .text("\(output.tensor.elementType)"), .text(extents), .text(numbers)]
        }
    }

    package func tableLines(_ row: RowContext) -> [TableLine] { outputs.map { TableLine(text: $0.summary) } }

    package var pictureSize: ImageSize? { nil }

    package func items(_ options: RowOptions) -> [FoundItem] { [] }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { outputs.map { ($0.name, $0.tensor) } }

    package func drawing(on image: Image) -> Image? { nil }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> NetworkOutputs { self }
}

extension NetworkOutputs.Output {
    /// The elements of an output that has few enough for a row of text; nil for others.
    fileprivate var writtenElements: [ElementText]? { tensor.elementCount <= 4096 ? tensor.elementTexts : nil }

    /// The output as JSON.
    fileprivate var jsonText: String {
        var text = "{\"name\":"
        text.appendJSON(name)
        text += ",\"type\":\"\(tensor.elementType)\",\"shape\":\(tensor.shape.jsonText),\"values\":"
        text +=
            writtenElements.map { "[\($0.map { $0.isFinite ? $0.text : "null" }.joined(separator: ","))]" } ?? "null"
        return text + "}"
    }

    /// The name, the shape, and the numbers or their range, on one line.
    fileprivate var summary: String {
        let extents = tensor.shape.map(String.init).joined(separator: ", ")
        let text = "\(name.printable) \(tensor.elementType)[\(extents)]"
        if tensor.elementCount <= 4 { return text + "  " + tensor.elementTexts.map(\.text).joined(separator: " ") }
        guard let range = tensor.rangeText else { return text }
        return text + "  \(range)"
    }
}

/// An element of a tensor as rows have it: a number with the fewest digits that read back as the same number, or true
/// or false.
private struct ElementText {
    package let text: String
    /// Whether JSON has it.
    package var isFinite = true
}

extension Tensor {
    /// The elements, each in its own type.
    fileprivate var elementTexts: [ElementText] {
        func texts<Number: BinaryFloatingPoint & CustomStringConvertible>(_ numbers: [Number]) -> [ElementText] {
            numbers.map { ElementText(text: $0.description, isFinite: $0.isFinite) }
        }
        return switch elementType {
        case .bool: elements(as: Bool.self).map { ElementText(text: $0.description) }
        case .uint64: elements(as: UInt64.self).map { ElementText(text: $0.description) }
        case .float64: texts(elements(as: Double.self))
        case _ where elementType.isFloatingPoint: texts(elements(as: Float.self))
        default: elements(as: Int64.self).map { ElementText(text: $0.description) }
        }
    }

    /// The smallest and the largest element; nil for none.
    fileprivate var rangeText: String? {
        func range<Number: Comparable & CustomStringConvertible>(_ numbers: [Number]) -> String? {
            guard let minimum = numbers.min(), let maximum = numbers.max() else { return nil }
            return "\(minimum) to \(maximum)"
        }
        return switch elementType {
        case .bool:
            elementCount == 0
                ? nil : "\(elements(as: Bool.self).allSatisfy { $0 }) to \(elements(as: Bool.self).contains(true))"
        case .uint64: range(elements(as: UInt64.self))
        case .float64: range(elements(as: Double.self))
        case _ where elementType.isFloatingPoint: range(elements(as: Float.self))
        default: range(elements(as: Int64.self))
        }
    }
}

extension ImageAnswer {
    /// The outputs of the network, as they are; nil for answers of another kind.
    public var outputs: NetworkOutputs? { self.as(NetworkOutputs.self) }
}

extension ImageAnswer.Content {
    /// The outputs of the network, as they are.
    public static let outputs = ImageAnswer.Content(NetworkOutputs.self)
}

extension PredictionRecord {
    /// The outputs of the network, or the reason why there are none.
    public var outputs: Result<NetworkOutputs, RecordError> { required() }
}
