import Apus

/// What `apus inspect` says about a model of named features that is not one network.
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
    /// The kinds of the models in a pipeline.
    let models: [String]
    let inputs: [Feature]
    let outputs: [Feature]
    let metadata: [String: String]

    init(_ model: FeatureModel) {
        self.model = model.name
        kind = model.kind
        models = model.kinds
        inputs = model.inputs.map(Feature.init)
        outputs = model.outputs.map(Feature.init)
        metadata = model.metadata
    }

    /// The report for people.
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
        return table.lines()
    }
}
