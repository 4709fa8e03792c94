import Formats
import FoundationEssentials
import Graphs
import Models
import Platform

extension Model {
    /// Options for an export.
    public struct ExportOptions: Sendable {
        /// The batch size to which inputs are fixed; nil leaves it as it is.
        public var batch: Int?
        /// Whether the portable rewrites are applied, which fold weights and remove nodes without effect.
        public var isDecluttered: Bool

        /// The command that the file names as its producer.
        package var origin = Origin.export

        /// A command that writes networks.
        package enum Origin: String, Sendable {
            case export
            case quantize

            /// The name of the producer in the file.
            package var producer: String { "apus \(rawValue)" }
        }

        /// Makes options. By default the network is written as it was read or built.
        public init(batch: Int? = nil, isDecluttered: Bool = false) {
            self.batch = batch
            self.isDecluttered = isDecluttered
        }
    }

    /// Writes the network as an ONNX file.
    ///
    ///     try Model(zoo: "squeezenet1_1", seed: 7).export(to: "squeezenet.onnx")
    ///
    /// Nodes have the form of operator set 18, or of a later one that they need; fused operators are written as
    /// separate nodes. Preprocessing, labels and how outputs become objects go into entries of the metadata that begin
    /// with `apus.`, so that the file predicts as this model does. The file appears under its name only when it is
    /// complete.
    ///
    /// - Throws: ``ApusError``; ``ApusError/unsupportedModel(path:message:)`` when the file would exceed 2 GiB or ONNX
    ///   cannot express something, ``ApusError/usage(_:)`` when the network does not take the batch size.
    public func export(to path: String, options: ExportOptions = ExportOptions()) throws(ApusError) {
        let content = try onnx(options: options)
        try OutputFile.replace(path) { file in try content.withUnsafeBytes { try file.write($0) } }
    }

    /// The content of the file that ``export(to:options:)`` writes.
    ///
    /// - Throws: As ``export(to:options:)``.
    public func onnx(options: ExportOptions = ExportOptions()) throws(ApusError) -> Data {
        do {
            var graph = try exportedGraph(options)
            try EmbeddedDescription(self).write(into: &graph.metadata, model: name)
            return try ONNXFormat().write(graph, producer: options.origin.producer)
        } catch let error as FormatError {
            throw ApusError(error, path: name)
        } catch {
            throw ApusError(error, model: name)
        }
    }

    private func exportedGraph(_ options: ExportOptions) throws(GraphError) -> Graph {
        var fixed = source
        if let batch = options.batch { fixed = try source.fixingBatch(to: batch) }
        return options.isDecluttered ? try Rewrites.declutter(fixed, using: Rewrites.exportable).graph : fixed
    }
}

extension OutputKind {
    /// An ONNX file that a command of Apus wrote.
    package static func network(_ origin: Model.ExportOptions.Origin) -> OutputKind {
        OutputKind(command: origin.rawValue, mark: .bytes(ONNXFormat.mark(producer: origin.producer), within: 64))
    }
}
