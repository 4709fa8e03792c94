import Apus

/// The report of `apus inspect` about a model of named features that is not one network.
struct FeatureReport: Encodable {
    struct Feature: Encodable {
        let name: String
        let type: String
        let description: String
        let isOptional: Bool

        init(_ feature: FeatureDescription) {
            name = feature.name
            type = "\(feature.kind)"
            description = feature.summary
            isOptional = feature.isOptional
        }

        fileprivate var text: String {
            let type = isOptional ? "\(type), optional" : type
            return "\(name): \(type)" + (description.isEmpty ? "" : " – \(description)")
        }
    }

    let model: String
    let kind: String
    /// The kinds of the models in a pipeline, or of the model itself.
    let models: [String]
    let inputs: [Feature]
    let outputs: [Feature]
    let metadata: [String: String]
    /// The preprocessing of pictures; nil when the model does not take pictures.
    let preprocessing: String?
    /// The number of class names; nil when the model does not take pictures.
    let labels: Int?
    /// The results of predictions, classes or objects; nil when the model does not take pictures.
    let predicts: String?

    /// - Parameter network: The model as a network for pictures; nil when it is not one.
    init(_ model: FeatureModel, network: Model?) {
        self.model = model.name
        kind = model.kind
        models = model.kinds
        inputs = model.inputs.map(Feature.init)
        outputs = model.outputs.map(Feature.init)
        metadata = model.metadata
        if let network, network.findsObjects {
            let configuration = network.detection ?? DetectionConfiguration()
            let steps = try? ObjectDetector.customaryPreprocessing(of: network, configuration)
            preprocessing = steps?.description
        } else {
            preprocessing = network?.preprocessing?.description
        }
        labels = network?.labels?.count
        predicts = network.flatMap { $0.purpose.task }.map { $0.type.content.rawValue }
    }

    /// The lines of the report.
    var lines: [String] {
        var table = TextTable([("", .left), ("", .left)])
        table.append(["model", model])
        table.append(["kind", models == [kind] ? kind : "\(kind) of \(models.joined(separator: ", "))"])
        for (position, feature) in inputs.enumerated() { table.append([position == 0 ? "inputs" : "", feature.text]) }
        for (position, feature) in outputs.enumerated() {
            table.append([position == 0 ? "outputs" : "", feature.text])
        }
        for (position, entry) in metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            table.append([position == 0 ? "metadata" : "", "\(entry.key): \(entry.value)"])
        }
        if let preprocessing { table.append(["preprocessing", "\(preprocessing), from the model"]) }
        if let labels { table.append(["labels", "\(labels) names, from the model"]) }
        if let predicts { table.append(["predicts", "\(predicts) of pictures (apus predict)"]) }
        return table.lines()
    }
}
