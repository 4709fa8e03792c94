import FoundationEssentials
import Graphs
import Tensors

/// Converts an ML program and its description into a graph.
struct MILProgramReader {
    private let model: CoreMLModel
    private let folder: URL?

    private enum ProgramField: Int, MessageField {
        case functions = 2
    }

    private enum FunctionField: Int, MessageField {
        case inputs = 1, opset, blocks
    }

    private enum BlockField: Int, MessageField {
        case outputs = 2, operations
    }

    private static let maximumOperationBytes = 4 << 20

    init(_ model: CoreMLModel, folder: URL?) {
        self.model = model
        self.folder = folder
    }

    func read() throws(FormatError) -> ImportedModel {
        let function = try entry(
            of: model.content, field: ProgramField.functions,
            preferring: model.description.defaultFunctionName.isEmpty ? "main" : model.description.defaultFunctionName)
        let opset = try text(function.ranges(FunctionField.opset).last, in: function)
        let block = try entry(of: function, field: FunctionField.blocks, preferring: opset)
        let translator = MILTranslator(name: "", constants: MILConstants(folder: folder))
        translator.operatorSet = opset
        var pictures: [PictureInput] = []
        for range in function.ranges(FunctionField.inputs) {
            let input: CoreMLMILNamedType = try function.decode(range)
            do throws(FormatError) {
                try checkKind(of: try CoreMLMessage(function.content, range))
                try add(input, to: translator, &pictures)
            } catch {
                throw error.about("input \"\(input.name)\"")
            }
        }
        for range in block.ranges(BlockField.operations) {
            let message: CoreMLMILOperation = try block.decode(range, atMost: Self.maximumOperationBytes)
            try translator.translate(MILOperation(message, translator))
        }
        var names: [String] = []
        for range in block.ranges(BlockField.outputs) { names.append(try text(range, in: block)) }
        try addOutputs(names, of: translator)
        translator.writer.setMetadata(model.metadata)
        var graph = translator.writer.graph
        try graph.finish()
        var imported = ImportedModel(graph, labels: translator.labels, pictures: pictures)
        imported.pictureOutputs = try model.pictureOutputs
        imported.inputDefaults = try model.inputDefaults
        let scores = model.description.predictedProbabilitiesName
        if translator.labels != nil, names.contains(scores) { imported.scoresName = scores }
        return imported
    }

    private func addOutputs(_ names: [String], of translator: MILTranslator) throws(FormatError) {
        for name in names {
            // The class follows from the probabilities.
            if translator.labels != nil, name == model.description.predictedFeatureName { continue }
            translator.writer.scope = name
            let id = try translator.value(try translator.operand(name))
            try translator.writer.output(id, name)
        }
        guard !translator.writer.graph.outputs.isEmpty else { throw .invalid("the program has no outputs") }
    }

    private enum NamedTypeField: Int, MessageField {
        case type = 2
    }

    /// The kinds of a value's type, by their fields.
    private enum TypeField: Int, MessageField {
        case tensor = 1
        case list, tuple, dictionary, state
    }

    /// Refuses inputs that are not arrays.
    private func checkKind(of input: CoreMLMessage) throws(FormatError) {
        let type = try input.message(NamedTypeField.type)
        switch type.fields.last.flatMap({ TypeField(rawValue: $0.number) }) {
        case .tensor: return
        case .state:
            throw .unsupported(
                "is a state, which keeps numbers from one run to the next; convert the network without states, with "
                    + "such values as inputs and outputs")
        case .list: throw .unsupported("is a list, and only arrays and images are read")
        case .tuple: throw .unsupported("is a tuple, and only arrays and images are read")
        case .dictionary: throw .unsupported("is a dictionary, and only arrays and images are read")
        case nil: throw .unsupported("is of a type that Apus does not know")
        }
    }

    private func add(
        _ input: CoreMLMILNamedType, to translator: MILTranslator, _ pictures: inout [PictureInput]
    ) throws(FormatError) {
        let described = model.description.input.first { $0.name == input.name }
        var dimensions: [Dimension] = []
        var extents: [Int] = []
        let defaults = described.flatMap(Self.defaultExtents) ?? []
        for (axis, dimension) in input.type.tensor.dimensions.enumerated() {
            if dimension.hasConstant {
                dimensions.append(.fixed(dimension.constant.size.count))
                extents.append(dimension.constant.size.count)
            } else {
                dimensions.append(axis == 0 ? .batch : .symbol("\(input.name)_\(axis)"))
                extents.append(axis < defaults.count ? max(1, defaults[axis]) : 1)
            }
        }
        let isInteger = [MILDataType.int32, .int16, .uint16, .int8, .uint8].map(\.rawValue).contains(
            input.type.tensor.dataType)
        let id = try translator.writer.input(
            input.name, isInteger ? .int32 : .float32, Shape(dimensions), extents: extents)
        translator.define(input.name, .value(id))
        if case .imageType(let image)? = described?.type.kind {
            pictures.append(PictureInput(name: input.name, channels: try image.channels, fitting: .centerCrop))
        }
    }

    private static func defaultExtents(_ feature: CoreMLFeatureDescription) -> [Int]? {
        switch feature.type.kind {
        case .arrayType(let array): array.shape.map { Int($0) }
        case .imageType(let image):
            [1, (try? image.channels) == .gray ? 1 : 3, Int(image.height), Int(image.width)]
        default: nil
        }
    }

    /// The value of the map entry with a key, or of the only entry.
    private func entry(
        of message: CoreMLMessage, field: some MessageField, preferring key: String
    ) throws(FormatError) -> CoreMLMessage {
        var only: CoreMLMessage?
        let ranges = message.ranges(field)
        for range in ranges {
            let entry = try CoreMLMessage(message.content, range)
            let value = try entry.message(MapEntryField.value)
            if try text(entry.ranges(MapEntryField.key).last, in: entry) == key { return value }
            only = value
        }
        guard let only, ranges.count == 1 else { throw .invalid("the program has no function or block \"\(key)\"") }
        return only
    }

    private func text(_ range: Range<Int>?, in message: CoreMLMessage) throws(FormatError) -> String {
        guard let range else { return "" }
        guard range.count < 1 << 16, let text = String(validating: try message.content.bytes(range), as: UTF8.self)
        else { throw .invalid("the file holds a name that is not UTF-8 text; it is damaged") }
        return text
    }
}
