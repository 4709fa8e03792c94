import Foundation
import Graphs

/// A type in Swift for one model, as `apus generate` writes it.
///
///     let text = try SwiftWrapper(Model(contentsOf: "squeezenet1_1.onnx")).text
public struct SwiftWrapper: Sendable {
    /// What is written.
    public struct Options: Sendable {
        /// The type's name; nil to make one of the model's.
        public var typeName: String?
        /// Whether the type can be used outside of its module.
        public var isPublic = false
        /// Whether the model is found among the resources of the module.
        public var isBundled = false

        /// Makes options.
        public init() {}
    }

    /// A property of `Input` or `Output`.
    private struct Property {
        let name: String
        let type: String
        /// The name in the model.
        let feature: String
        let documentation: String
    }

    /// The name of the type.
    public let typeName: String
    private let model: Model
    private let options: Options
    private let inputs: [Property]
    private let outputs: [Property]
    private let takesPicture: Bool
    private let givesClasses: Bool

    /// Describes a model.
    public init(_ model: Model, options: Options = Options()) {
        self.model = model
        self.options = options
        let stem = URL(fileURLWithPath: model.name).deletingPathExtension().lastPathComponent
        typeName = SwiftNames.type(options.typeName ?? stem)
        takesPicture = TypedModel.takesPicture(model)
        givesClasses = takesPicture && model.labels != nil
        let graph = model.describedGraph
        var names = SwiftNames()
        let isPicture = takesPicture
        inputs = graph.inputs.map { id in
            let value = graph[id]
            return Property(
                name: names.variable(value.name, otherwise: "input"),
                type: isPicture ? "Apus.ImageSource" : "Apus.Tensor", feature: value.name,
                documentation: (isPicture ? "A picture: " : "") + Self.text(of: value, "input", graph))
        }
        names = SwiftNames(reserving: ["classLabel", "classLabelProbs"])
        var seen: Set<String> = []
        outputs = graph.outputs.filter { seen.insert(graph[$0].name).inserted }.map { id in
            let value = graph[id]
            return Property(
                name: names.variable(value.name, otherwise: "output"), type: "Apus.Tensor", feature: value.name,
                documentation: Self.text(of: value, "output", graph))
        }
    }

    /// What the file says about an input or output, or its type.
    private static func text(of value: Graph.Value, _ role: String, _ graph: Graph) -> String {
        if let text = graph.metadata["\(role) \(value.name)"], !text.isEmpty { return text }
        return "\(value.elementType?.rawValue ?? "numbers") \(value.shape?.description ?? "of any shape")"
    }

    /// The Swift text of the type.
    public var text: String {
        let access = options.isPublic ? "public " : ""
        var lines = ["// Written by \"apus generate\"; changes are lost.", "", "import Apus", "import Foundation", ""]
        lines += description
        lines.append("\(access)final class \(typeName): Swift.Sendable {")
        lines += ["    /// What the network takes.", "    \(access)struct Input: Swift.Sendable {"]
        lines += properties(inputs, access, "var")
        let parameters = inputs.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        lines += ["", "        /// Makes an input.", "        \(access)init(\(parameters)) {"]
        lines += inputs.map { "            self.\($0.name) = \($0.name)" }
        lines += ["        }", "", "        fileprivate var features: [Swift.String: Apus.TypedModel.Feature] {"]
        let entries = inputs.map { property in
            "\(property.feature.swiftLiteral): .\(takesPicture ? "image" : "tensor")(\(property.name))"
        }
        lines += ["            [\(entries.isEmpty ? ":" : entries.joined(separator: ", "))]", "        }", "    }", ""]
        lines += ["    /// What the network gives.", "    \(access)struct Output: Swift.Sendable {"]
        if givesClasses {
            lines += [
                "        /// The class with the most confidence.", "        \(access)let classLabel: Swift.String",
                "        /// The confidence in every class, from 0 to 1.",
                "        \(access)let classLabelProbs: [Swift.String: Swift.Double]",
            ]
        }
        lines += properties(outputs, access, "let")
        lines += ["", "        fileprivate init(_ outputs: Apus.TypedModel.Outputs) throws {"]
        if givesClasses {
            lines += [
                "            classLabel = try outputs.classLabel()",
                "            classLabelProbs = try outputs.classLabelProbs()",
            ]
        }
        lines += outputs.map { "            \($0.name) = try outputs.tensor(\($0.feature.swiftLiteral))" }
        lines += [
            "        }", "    }", "", "    /// The model that runs.", "    \(access)let model: Apus.TypedModel", "",
        ]
        lines += initializers(access) + predictions(access) + ["}", ""]
        return lines.joined(separator: "\n")
    }

    private var description: [String] {
        let metadata = model.graph.metadata
        let texts = ["description", "short_description", "doc_string"].compactMap { metadata[$0] }
        var lines = texts.first?.documentation(indentedBy: "") ?? []
        if lines.isEmpty { lines = ["/// The network of a model file."] }
        for key in ["author", "license", "version", "model_version"] {
            guard let value = metadata[key], !value.isEmpty else { continue }
            let name = key == "model_version" ? "Version" : key.prefix(1).uppercased() + key.dropFirst()
            lines += ["///"] + "\(name): \(value)".documentation(indentedBy: "", atMost: 3)
        }
        let call = takesPicture ? "prediction(image: .file(\"picture.jpg\"))" : "prediction(input: input)"
        let arguments = options.isBundled ? "" : "contentsOf: path"
        lines += ["///", "///     let model = try await \(typeName)(\(arguments))"]
        return lines + ["///     let output = try await model.\(call)"]
    }

    private func properties(_ properties: [Property], _ access: String, _ keyword: String) -> [String] {
        properties.flatMap { property in
            property.documentation.documentation(indentedBy: "        ")
                + ["        \(access)\(keyword) \(property.name): \(property.type)"]
        }
    }

    private func initializers(_ access: String) -> [String] {
        var lines = [
            "    /// Reads the model from a file, and what lies beside it.",
            "    \(access)init(contentsOf path: Swift.String, options: Apus.Session.Options = .init()) async throws {",
            "        model = try await Apus.TypedModel(contentsOf: path, options: options)", "    }", "",
            "    /// Reads the model from a file, and what lies beside it; waits for it, so not for asynchronous code.",
            "    \(access)init(contentsOf path: Swift.String, options: Apus.Session.Options = .init()) throws {",
            "        model = try Apus.TypedModel.waiting {",
            "            try await Apus.TypedModel(contentsOf: path, options: options)", "        }", "    }", "",
        ]
        guard options.isBundled else { return lines }
        let url = URL(fileURLWithPath: model.name)
        let name = url.deletingPathExtension().lastPathComponent.swiftLiteral
        let fileExtension = url.pathExtension.swiftLiteral
        lines += [
            "    /// Reads the model among the module's resources.",
            "    \(access)convenience init(options: Apus.Session.Options = .init()) async throws {",
            "        try await self.init(contentsOf: try Self.bundledPath(), options: options)", "    }", "",
            "    /// Reads the model among the module's resources; waits for it, so not for asynchronous code.",
            "    \(access)convenience init(options: Apus.Session.Options = .init()) throws {",
            "        try self.init(contentsOf: try Self.bundledPath(), options: options)", "    }", "",
            "    private static func bundledPath() throws -> Swift.String {",
            "        guard let url = Foundation.Bundle.module.url(forResource: \(name), withExtension: \(fileExtension)) else {",
            "            throw Apus.ApusError.file(path: \((url.lastPathComponent).swiftLiteral), message: \"is not among the resources\")",
            "        }", "        return url.path", "    }", "",
        ]
        return lines
    }

    private func predictions(_ access: String) -> [String] {
        let waiting = "waits for it, so not for asynchronous code."
        var lines = [
            "    /// Predicts one input.", "    \(access)func prediction(input: Input) async throws -> Output {",
            "        try Output(try await model.outputs(for: input.features))", "    }", "",
            "    /// Predicts several inputs together.",
            "    \(access)func predictions(_ batch: [Input]) async throws -> [Output] {",
            "        try await model.outputs(for: batch.map(\\.features)).map { try Output($0) }", "    }", "",
            "    /// Predicts one input; \(waiting)", "    \(access)func prediction(input: Input) throws -> Output {",
            "        try Apus.TypedModel.waiting { try await self.prediction(input: input) }", "    }", "",
            "    /// Predicts several inputs together; \(waiting)",
            "    \(access)func predictions(_ batch: [Input]) throws -> [Output] {",
            "        try Apus.TypedModel.waiting { try await self.predictions(batch) }", "    }",
        ]
        guard takesPicture, let input = inputs.first else { return lines }
        lines += [
            "", "    /// Predicts one picture.",
            "    \(access)func prediction(image: Apus.ImageSource) async throws -> Output {",
            "        try await prediction(input: Input(\(input.name): image))", "    }", "",
            "    /// Predicts one picture; \(waiting)",
            "    \(access)func prediction(image: Apus.ImageSource) throws -> Output {",
            "        try prediction(input: Input(\(input.name): image))", "    }",
        ]
        return lines
    }
}
