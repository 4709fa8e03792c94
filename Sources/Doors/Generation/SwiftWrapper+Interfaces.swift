import Features
import Graphs
import Models
import Tensors
import Vision

extension SwiftWrapper.Interface {
    /// Describes a network, which takes a picture or arrays and gives arrays and possibly classes.
    init(_ model: Model) {
        let graph = model.describedGraph
        let takesPicture = TypedModel.takesPicture(model)
        var names = SwiftNames(reserving: ["features"])
        let inputs = graph.inputs.map { id in
            let value = graph[id]
            let name = names.variable(value.name, otherwise: "input")
            return SwiftWrapper.Property(
                name: name, type: takesPicture ? "Apus.ImageSource" : "Apus.Tensor",
                documentation: (takesPicture ? "A picture: " : "") + Self.text(of: value, "input", graph),
                expression: ".\(takesPicture ? "image" : "tensor")(\(name))", feature: value.name)
        }
        var outputs: [SwiftWrapper.Property] = []
        if takesPicture, model.labels != nil {
            outputs += [
                SwiftWrapper.Property(
                    name: "classLabel", type: "Swift.String", documentation: "The class with the most confidence.",
                    expression: "try outputs.classLabel()"),
                SwiftWrapper.Property(
                    name: "classLabelProbs", type: "[Swift.String: Swift.Double]",
                    documentation: "The confidence in every class, from 0 to 1.",
                    expression: "try outputs.classLabelProbs()"),
            ]
        }
        names = SwiftNames(reserving: ["classLabel", "classLabelProbs", "outputs"])
        var seen: Set<String> = []
        outputs += graph.outputs.filter { seen.insert(graph[$0].name).inserted }.map { id in
            let value = graph[id]
            return SwiftWrapper.Property(
                name: names.variable(value.name, otherwise: "output"), type: "Apus.Tensor",
                documentation: Self.text(of: value, "output", graph),
                expression: "try outputs.tensor(\(value.name.swiftLiteral))")
        }
        self.init(
            runtime: "Apus.TypedModel", metadata: graph.metadata, inputs: inputs, outputs: outputs,
            pictureInput: takesPicture ? inputs.first : nil)
    }

    /// The file's description of an input or output, or its type.
    private static func text(of value: Graph.Value, _ role: String, _ graph: Graph) -> String {
        if let text = graph.metadata["\(role) \(value.name)"], !text.isEmpty { return text }
        return "\(value.elementType?.rawValue ?? "numbers") \(value.shape?.description ?? "of any shape")"
    }

    /// Describes a model of named features, whose types the file defines.
    init(_ model: FeatureModel) {
        var names = SwiftNames(reserving: ["features"])
        let inputs = model.inputs.map { feature in
            let name = names.variable(feature.name, otherwise: "input")
            return SwiftWrapper.Property(
                name: name, type: feature.kind.swiftType(ofInput: true), documentation: feature.documentation,
                expression: feature.kind.swiftFeature(name), feature: feature.name, isOptional: feature.isOptional)
        }
        names = SwiftNames(reserving: ["outputs"])
        let outputs = model.outputs.map { feature in
            SwiftWrapper.Property(
                name: names.variable(feature.name, otherwise: "output"), type: feature.kind.swiftType(ofInput: false),
                documentation: feature.documentation,
                expression: "try outputs.\(feature.kind.swiftReader)(\(feature.name.swiftLiteral))")
        }
        let isPicture = if case .image? = model.inputs.first?.kind { true } else { false }
        let needsNoMore = model.inputs.dropFirst().allSatisfy(\.isOptional)
        self.init(
            runtime: "Apus.TypedFeatureModel", metadata: model.metadata, inputs: inputs, outputs: outputs,
            pictureInput: isPicture && needsNoMore && inputs.first?.isOptional == false ? inputs.first : nil)
    }
}

extension FeatureDescription {
    fileprivate var documentation: String { summary.isEmpty ? "\(kind)" : "\(kind): \(summary)" }
}

extension FeatureDescription.Kind {
    fileprivate func swiftType(ofInput isInput: Bool) -> String {
        switch self {
        case .int: "Swift.Int64"
        case .double: "Swift.Double"
        case .string: "Swift.String"
        case .image: isInput ? "Apus.ImageSource" : "Apus.Tensor"
        case .array: "Apus.Tensor"
        case .dictionary(let keys): keys == .int ? "[Swift.Int64: Swift.Double]" : "[Swift.String: Swift.Double]"
        case .sequence: "Apus.FeatureValue"
        }
    }

    /// The Swift expression that makes a feature from a variable.
    fileprivate func swiftFeature(_ name: String) -> String {
        switch self {
        case .int: ".value(.int(\(name)))"
        case .double: ".value(.double(\(name)))"
        case .string: ".value(.string(\(name)))"
        case .image: ".image(\(name))"
        case .array: ".tensor(\(name))"
        case .dictionary: ".value(Apus.FeatureValue(\(name)))"
        case .sequence: ".value(\(name))"
        }
    }

    /// The name of the method that returns an output.
    fileprivate var swiftReader: String {
        switch self {
        case .int: "int"
        case .double: "double"
        case .string: "string"
        case .image, .array: "tensor"
        case .dictionary(let keys): keys == .int ? "integerDictionary" : "dictionary"
        case .sequence: "value"
        }
    }
}
