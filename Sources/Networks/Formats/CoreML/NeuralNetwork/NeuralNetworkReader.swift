import Graphs
import Tensors

/// The fields of a network's message.
enum NetworkField: Int, MessageField {
    case layers = 1
    case preprocessing = 2
    /// The rules for the shapes of arrays and of images.
    case arrayRule = 5, imageRule
    /// The layer whose output holds a classifier's probabilities.
    case probabilityLayer = 200
}

/// Converts a neural network and its description into a graph.
struct NeuralNetworkReader {
    private let model: CoreMLModel
    private let network: CoreMLMessage
    private let rule: NetworkTranslator.ShapeRule
    /// Whether the first axis of values is the sequence.
    private let isSequence: Bool

    private static let maximumLabelBytes = 32 << 20

    init(_ model: CoreMLModel) throws(FormatError) {
        self.model = model
        network = model.content
        let rules = [NetworkField.arrayRule, .imageRule].map { field in
            model.content.fields.contains { $0.number == field.rawValue && $0.wire == .varint }
        }
        // The format leaves out the number of the older rules, which is 0.
        rule = rules.contains(true) ? .exact : .fiveAxes
        isSequence = rule == .fiveAxes && Self.hasSequence(model.content)
    }

    private static func hasSequence(_ network: CoreMLMessage) -> Bool {
        network.ranges(NetworkField.layers).contains { range in
            guard let message = try? CoreMLMessage(network.content, range), let layer = try? Layer(message) else {
                return false
            }
            return layer.kind.isAlongSequence(layer.parameters)
        }
    }

    func read() throws(FormatError) -> ImportedModel {
        let translator = NetworkTranslator(rule: rule, name: "")
        var pictures: [PictureInput] = []
        for feature in model.description.input {
            do throws(FormatError) {
                try addInput(feature, to: translator, &pictures)
            } catch {
                throw error.about("input \"\(feature.name)\"")
            }
        }
        try translator.translate(network)
        let labels = try labels
        try addOutputs(of: translator)
        translator.writer.setMetadata(model.metadata)
        var graph = translator.writer.graph
        try graph.finish()
        var imported = ImportedModel(graph, labels: labels, pictures: pictures)
        imported.pictureOutputs = try model.pictureOutputs
        imported.inputDefaults = try model.inputDefaults
        let scores = model.description.predictedProbabilitiesName
        if labels != nil, graph.outputs.contains(where: { graph[$0].name == scores }) { imported.scoresName = scores }
        return imported
    }

    // MARK: Inputs

    private func addInput(
        _ feature: CoreMLFeatureDescription, to translator: NetworkTranslator, _ pictures: inout [PictureInput]
    ) throws(FormatError) {
        let shapes = try FeatureShape(feature, network: self.network, rule: rule)
        var dimensions = shapes.shape.dimensions
        var extents = shapes.extents
        if rule == .fiveAxes {
            let isState = isSequence && pictures.isEmpty && !translator.writer.graph.inputs.isEmpty
            dimensions.insert(isState ? 1 : isSequence ? .symbol("sequence") : .batch, at: 0)
            extents.insert(1, at: 0)
        }
        translator.writer.scope = feature.name
        var id = try translator.writer.input(feature.name, .float32, Shape(dimensions), extents: extents)
        if case .imageType(let image)? = feature.type.kind {
            var picture = PictureInput(name: feature.name, channels: try image.channels, fitting: .centerCrop)
            id = try preprocess(id, extents, &picture, translator)
            pictures.append(picture)
        }
        translator.define(feature.name, id)
    }

    /// Records the scale and bias of a picture's pixels, or subtracts the mean image.
    private func preprocess(
        _ id: Graph.ValueID, _ extents: [Int], _ picture: inout PictureInput, _ translator: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        for range in network.ranges(NetworkField.preprocessing) {
            let maximumBytes = 64 << 20
            let message: CoreMLPreprocessing = try network.decode(range, atMost: maximumBytes)
            guard message.featureName.isEmpty || message.featureName == picture.name else { continue }
            switch message.kind {
            case .scaler(let scaler):
                picture.scale = scaler.channelScale == 0 ? 1 : scaler.channelScale
                picture.mean =
                    picture.channels == .gray
                    ? [0 - scaler.grayBias] : [0 - scaler.redBias, 0 - scaler.greenBias, 0 - scaler.blueBias]
            case .meanImage(let image):
                let mean = translator.writer.constant(
                    try LayerWriter.tensor(image.meanImage, [1] + extents.dropFirst()), "mean")
                return try translator.writer.apply(Sub(), [id, mean])
            case nil: break
            }
        }
        return id
    }

    // MARK: Outputs

    private func addOutputs(of translator: NetworkTranslator) throws(FormatError) {
        for feature in model.description.output {
            // The class follows from the probabilities.
            if feature.name == model.description.predictedFeatureName, model.kind == .neuralNetworkClassifier {
                continue
            }
            do throws(FormatError) {
                try addOutput(feature, of: translator)
            } catch {
                throw error.about("output \"\(feature.name)\"")
            }
        }
        if translator.writer.graph.outputs.isEmpty, let last = translator.assigned.last {
            try addOutput(named: last, from: last, translator, shape: nil)
        }
        guard !translator.writer.graph.outputs.isEmpty else { throw .invalid("the model has no outputs") }
    }

    private func addOutput(
        _ feature: CoreMLFeatureDescription, of translator: NetworkTranslator
    ) throws(FormatError) {
        if feature.name == model.description.predictedProbabilitiesName {
            let layer = try probabilityLayer ?? feature.name
            let name = translator.value(layer) != nil ? layer : translator.assigned.last ?? layer
            return try addOutput(named: feature.name, from: name, translator, shape: [1])
        }
        var shape: [Int64]?
        if case .arrayType(let array)? = feature.type.kind { shape = array.shape }
        try addOutput(named: feature.name, from: feature.name, translator, shape: shape)
    }

    /// - Parameter shape: The declared shape. Under the older rules, a single extent is the number of channels.
    private func addOutput(
        named name: String, from value: String, _ translator: NetworkTranslator, shape: [Int64]?
    ) throws(FormatError) {
        guard var id = translator.value(value) else { throw .invalid("nothing provides it") }
        translator.writer.scope = name
        if rule == .fiveAxes, let rank = translator.writer.type(of: id)?.rank {
            if shape?.count == 1, rank == 4 { id = try translator.writer.apply(Flatten(), [id]) }
            if shape?.count == 3, rank == 2 { id = try translator.image(id) }
        }
        try translator.writer.output(id, name)
    }

    private var probabilityLayer: String? {
        get throws(FormatError) {
            guard let range = network.ranges(NetworkField.probabilityLayer).last, !range.isEmpty else { return nil }
            guard let name = String(validating: try network.content.bytes(range), as: UTF8.self) else {
                throw .invalid("the file holds a name that is not UTF-8 text; it is damaged")
            }
            return name
        }
    }

    private var labels: [String]? {
        get throws(FormatError) {
            guard model.kind == .neuralNetworkClassifier else { return nil }
            return try ClassLabels(network, atMost: Self.maximumLabelBytes)?.texts
        }
    }
}
