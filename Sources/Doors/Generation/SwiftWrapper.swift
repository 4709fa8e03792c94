import FoundationEssentials
import Graphs
import Models
import Platform
import Vision

/// The Swift type that `apus generate` writes for a model.
///
///     let text = try SwiftWrapper(Model(contentsOf: "squeezenet1_1.onnx")).text
public struct SwiftWrapper: Sendable {
    /// The options of a wrapper.
    public struct Options: Sendable {
        /// The type's name; nil to derive it from the model's name.
        public var typeName: String?
        /// Whether the type can be used outside of its module.
        public var isPublic = false
        /// Whether the model is a resource of the module.
        public var isBundled = false

        /// Makes options.
        public init() {}
    }

    /// A property of `Input` or `Output`.
    struct Property {
        let name: String
        let type: String
        let documentation: String
        /// The Swift expression that converts an input to a feature, or returns an output.
        let expression: String
        /// The name of an input in the model.
        var feature = ""
        var isOptional = false
    }

    /// The parts of a wrapper that differ between kinds of models.
    struct Interface {
        /// The type that runs behind the wrapper.
        var runtime: String
        var metadata: [String: String]
        var inputs: [Property]
        var outputs: [Property]
        /// The input, if it is the only one and takes a picture.
        var pictureInput: Property?
    }

    /// The name of the type.
    public let typeName: String
    private let modelPath: String
    private let options: Options
    private let interface: Interface

    /// Makes a wrapper for a network.
    public init(_ model: Model, options: Options = Options()) {
        self.init(Interface(model), path: model.name, options)
    }

    /// Makes a wrapper for a model of named features.
    public init(_ model: FeatureModel, options: Options = Options()) {
        self.init(Interface(model), path: model.name, options)
    }

    private init(_ interface: Interface, path: String, _ options: Options) {
        self.interface = interface
        self.options = options
        modelPath = path
        let stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        typeName = SwiftNames.type(options.typeName ?? stem)
    }

    /// The first line of a generated file, which identifies it.
    static let firstLine = "// Written by \"apus generate\"; changes are lost."

    /// Writes the text. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(text) }
    }

    /// The Swift text of the type.
    public var text: String {
        let access = options.isPublic ? "public " : ""
        let (inputs, outputs) = (interface.inputs, interface.outputs)
        var lines = [Self.firstLine, "", "import Apus", "import Foundation", ""]
        lines += description
        lines.append("\(access)final class \(typeName): Swift.Sendable {")
        lines += ["    /// The inputs of the model.", "    \(access)struct Input: Swift.Sendable {"]
        lines += properties(inputs, access, "var")
        lines += ["", "        /// Makes an input.", "        \(access)init(\(parameters)) {"]
        lines += inputs.map { "            self.\($0.name) = \($0.name)" }
        lines += ["        }", "", "        fileprivate var features: [Swift.String: Apus.TypedModel.Feature] {"]
        let optional = inputs.filter(\.isOptional)
        let entries = inputs.filter { !$0.isOptional }.map { "\($0.feature.swiftLiteral): \($0.expression)" }
        let dictionary = "[\(entries.isEmpty ? ":" : entries.joined(separator: ", "))]"
        if optional.isEmpty {
            lines.append("            \(dictionary)")
        } else {
            lines.append("            var features: [Swift.String: Apus.TypedModel.Feature] = \(dictionary)")
            for input in optional {
                lines.append(
                    "            if let \(input.name) { features[\(input.feature.swiftLiteral)] = \(input.expression) }"
                )
            }
            lines.append("            return features")
        }
        lines += ["        }", "    }", ""]
        lines += ["    /// The outputs of the model.", "    \(access)struct Output: Swift.Sendable {"]
        lines += properties(outputs, access, "let")
        lines += ["", "        fileprivate init(_ outputs: \(interface.runtime).Outputs) throws {"]
        lines += outputs.map { "            \($0.name) = \($0.expression)" }
        lines += [
            "        }", "    }", "", "    /// The model that runs.", "    \(access)let model: \(interface.runtime)",
            "",
        ]
        lines += initializers(access) + predictions(access) + ["}", ""]
        return lines.joined(separator: "\n")
    }

    private var parameters: String {
        interface.inputs.map { "\($0.name): \($0.type)\($0.isOptional ? "? = nil" : "")" }.joined(separator: ", ")
    }

    private var description: [String] {
        let metadata = interface.metadata
        let texts = ["description", "short_description", "doc_string"].compactMap { metadata[$0] }
        var lines = texts.first?.documentation(indentedBy: "") ?? []
        if lines.isEmpty { lines = ["/// The model of a file."] }
        for key in ["author", "license", "version", "model_version"] {
            guard let value = metadata[key], !value.isEmpty else { continue }
            let name = key == "model_version" ? "Version" : key.prefix(1).uppercased() + key.dropFirst()
            lines += ["///"] + "\(name): \(value)".documentation(indentedBy: "", atMost: 3)
        }
        let call =
            interface.pictureInput != nil ? "prediction(image: .file(\"picture.jpg\"))" : "prediction(input: input)"
        let arguments = options.isBundled ? "" : "contentsOf: path"
        lines += ["///", "///     let model = try await \(typeName)(\(arguments))"]
        return lines + ["///     let output = try await model.\(call)"]
    }

    private func properties(_ properties: [Property], _ access: String, _ keyword: String) -> [String] {
        properties.flatMap { property in
            property.documentation.documentation(indentedBy: "        ")
                + ["        \(access)\(keyword) \(property.name): \(property.type)\(property.isOptional ? "?" : "")"]
        }
    }

    private func initializers(_ access: String) -> [String] {
        var lines = [
            "    /// Reads the model from a file, and the files beside it.",
            "    \(access)init(contentsOf path: Swift.String, options: Apus.Session.Options = .init()) async throws {",
            "        model = try await \(interface.runtime)(contentsOf: path, options: options)", "    }", "",
            "    /// Reads the model and its files; blocks the thread, so do not call it from asynchronous code.",
            "    \(access)static func openSynchronously(",
            "        contentsOf path: Swift.String, options: Apus.Session.Options = .init()",
            "    ) throws -> \(typeName) {",
            "        try Apus.TypedModel.waiting { try await \(typeName)(contentsOf: path, options: options) }",
            "    }", "",
        ]
        guard options.isBundled else { return lines }
        let url = URL(fileURLWithPath: modelPath)
        let name = url.deletingPathExtension().lastPathComponent.swiftLiteral
        let fileExtension = url.pathExtension.swiftLiteral
        lines += [
            "    /// Reads the model from the module's resources.",
            "    \(access)convenience init(options: Apus.Session.Options = .init()) async throws {",
            "        try await self.init(contentsOf: try Self.bundledPath(), options: options)", "    }", "",
            "    /// Reads the model from the resources; blocks the thread, so do not call it from asynchronous code.",
            "    \(access)static func openSynchronously(options: Apus.Session.Options = .init()) throws -> \(typeName) {",
            "        try openSynchronously(contentsOf: try bundledPath(), options: options)", "    }", "",
            "    private static func bundledPath() throws -> Swift.String {",
            "        guard let url = Foundation.Bundle.module.url(forResource: \(name), withExtension: \(fileExtension)) else {",
            "            throw Apus.ApusError.file(path: \((url.lastPathComponent).swiftLiteral), message: \"is not among the resources\")",
            "        }", "        return url.path", "    }", "",
        ]
        return lines
    }

    private func predictions(_ access: String) -> [String] {
        let waiting = "blocks the thread, so do not call it from asynchronous code."
        var lines = [
            "    /// Predicts one input.", "    \(access)func prediction(input: Input) async throws -> Output {",
            "        try Output(try await model.outputs(for: input.features))", "    }", "",
            "    /// Predicts several inputs together.",
            "    \(access)func predictions(_ batch: [Input]) async throws -> [Output] {",
            "        try await model.outputs(for: batch.map(\\.features)).map { try Output($0) }", "    }", "",
            "    /// Predicts one input; \(waiting)",
            "    \(access)func predictionSynchronously(input: Input) throws -> Output {",
            "        try Apus.TypedModel.waiting { try await self.prediction(input: input) }", "    }", "",
            "    /// Predicts several inputs together; \(waiting)",
            "    \(access)func predictionsSynchronously(_ batch: [Input]) throws -> [Output] {",
            "        try Apus.TypedModel.waiting { try await self.predictions(batch) }", "    }",
        ]
        guard let input = interface.pictureInput else { return lines + byFeature(access, waiting) }
        lines += [
            "", "    /// Predicts one picture.",
            "    \(access)func prediction(image: Apus.ImageSource) async throws -> Output {",
            "        try await prediction(input: Input(\(input.name): image))", "    }", "",
            "    /// Predicts one picture; \(waiting)",
            "    \(access)func predictionSynchronously(image: Apus.ImageSource) throws -> Output {",
            "        try predictionSynchronously(input: Input(\(input.name): image))", "    }",
        ]
        return lines
    }

    /// The prediction methods whose parameters are the features; none for many features.
    private func byFeature(_ access: String, _ waiting: String) -> [String] {
        let inputs = interface.inputs
        guard (1...24).contains(inputs.count), !inputs.map(\.name).contains("input") else { return [] }
        let arguments = inputs.map { "\($0.name): \($0.name)" }.joined(separator: ", ")
        return [
            "", "    /// Predicts from features.",
            "    \(access)func prediction(\(parameters)) async throws -> Output {",
            "        try await prediction(input: Input(\(arguments)))", "    }", "",
            "    /// Predicts from features; \(waiting)",
            "    \(access)func predictionSynchronously(\(parameters)) throws -> Output {",
            "        try predictionSynchronously(input: Input(\(arguments)))", "    }",
        ]
    }
}

extension OutputKind {
    /// A generated Swift type.
    package static let swiftType = OutputKind(
        command: "generate", mark: .bytes(Array(SwiftWrapper.firstLine.utf8), within: SwiftWrapper.firstLine.utf8.count)
    )
}
