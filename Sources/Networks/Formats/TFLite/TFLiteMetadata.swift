import Graphs
import Tensors

/// The description of a file's pictures and classes: from its metadata, from ``TFLiteParameters``, or else from its
/// quantization.
///
/// Reference: https://ai.google.dev/edge/litert/models/metadata
struct TFLiteMetadata {
    private(set) var labels: [String]?
    private(set) var labelsSource = DescriptionSource.metadata(metadataName)
    private(set) var pictures: [PictureInput] = []
    /// What the metadata name and could not be read.
    private(set) var warnings: [String] = []
    /// The model's name, such as `ImageSegmenter`.
    private(set) var name: String?

    private static let metadataName = "TFLITE_METADATA"
    private static let maximumLabelCount = 1_000_000

    init(_ model: TFLiteModel) throws(FormatError) {
        guard let subgraph = model.subgraphs.first else { return }
        var described: [FlatBufferTable] = []
        if let content = model.metadataContent(Self.metadataName) {
            let root = try FlatBuffer(ModelContent(content)).root()
            name = try root.string(0)
            let graphs = try root.tables(3, "subgraph of the metadata")
            if let graph = graphs.first {
                described = try graph.tables(2, "input of the metadata")
                (labels, warnings) = try Self.labels(try graph.tables(3, "output of the metadata"), model)
            }
        }
        var parameters: TFLiteParameters?
        if let content = model.metadataContent(TFLiteParameters.metadataName) {
            parameters = try TFLiteParameters(content)
        }
        if labels == nil, let classes = parameters?.classes, classes.count <= Self.maximumLabelCount {
            (labels, labelsSource) = (classes, .metadata(TFLiteParameters.metadataName))
        }
        for (position, index) in subgraph.inputs.enumerated() {
            let table = described.indices.contains(position) ? described[position] : nil
            if let picture = try Self.picture(index, subgraph, model, table, parameters) { pictures.append(picture) }
        }
    }

    /// The class names in the associated file of the first output, one per line.
    private static func labels(
        _ outputs: [FlatBufferTable], _ model: TFLiteModel
    ) throws(FormatError) -> (labels: [String]?, warnings: [String]) {
        var warnings: [String] = []
        for output in outputs {
            for file in try output.tables(6, "file of the metadata") {
                // The file holds labels of an axis or of values.
                guard [2, 3].contains(try file.byte(2)), let name = try file.string(0) else { continue }
                var reason = "has no lines"
                switch AppendedFiles(model.file.bytes).find(name) {
                case .content(let bytes):
                    if let text = String(validating: bytes, as: UTF8.self) {
                        let lines = text.textLines
                        if !lines.isEmpty, lines.count <= maximumLabelCount { return (lines, []) }
                        if !lines.isEmpty { reason = "has \(lines.count) lines" }
                    } else {
                        reason = "is no UTF-8 text"
                    }
                case .compressed: reason = "is compressed; zip -0 adds files as they are"
                case .none: reason = "is not in the archive behind the model"
                }
                warnings.append(
                    "the metadata name the file \"\(name.prefix(200))\" with the labels, which \(reason); there are none"
                )
            }
        }
        return (nil, warnings)
    }

    private static func picture(
        _ index: Int, _ subgraph: TFLiteModel.Subgraph, _ model: TFLiteModel, _ described: FlatBufferTable?,
        _ parameters: TFLiteParameters?
    ) throws(FormatError) -> PictureInput? {
        let tensor = subgraph.tensors[index]
        guard tensor.shape.count == 4, let channels = tensor.shape.last, channels == 1 || channels == 3 else {
            return nil
        }
        var picture = PictureInput(name: tensor.name, channels: channels == 1 ? .gray : .rgb, fitting: .fill)
        let type = TFLiteElementType.elementType(tensor.type)
        var normalization: (mean: [Float], deviation: [Float])?
        for unit in try described?.tables(4, "step of the metadata") ?? [] {
            guard try unit.byte(0) == 1, let options = try unit.table(1, "normalization"),
                let mean = try options.floats(0), let deviation = try options.floats(1)
            else { continue }
            normalization = (mean, deviation)
        }
        // Quantized networks with unsigned integers take pixels unchanged, regardless of their quantization.
        if let normalization, type != .uint8 {
            let counts = [normalization.mean.count, normalization.deviation.count]
            guard counts.allSatisfy({ $0 == 1 || $0 == channels }),
                (normalization.mean + normalization.deviation).allSatisfy(\.isFinite),
                !normalization.deviation.contains(0)
            else { throw .invalid("the metadata normalizes by \(normalization.mean) and \(normalization.deviation)") }
            picture.mean = normalization.mean
            picture.standardDeviation = normalization.deviation
            picture.source = .metadata(metadataName)
            return picture
        }
        if let parameters, parameters.normalizes {
            (picture.scale, picture.standardizes) = (parameters.scale, parameters.standardizes)
            picture.source = .metadata(TFLiteParameters.metadataName)
            return picture
        }
        guard let quantization = inputQuantization(index, subgraph, model), let scale = quantization.0.scale,
            let zeroPoint = quantization.0.zeroPoint
        else {
            // Without normalization in either, the numbers are pixels.
            picture.source = .metadata(TFLiteParameters.metadataName)
            return parameters?.describesPictures == true && type == .float32 ? picture : nil
        }
        // Pixel 0 is the lowest integer.
        picture.source = .quantization
        picture.mean = [Float(zeroPoint + (quantization.1 == .int8 ? 128 : 0))]
        picture.standardDeviation = [1 / scale]
        return picture.standardDeviation[0].isFinite ? picture : nil
    }

    /// The quantization of an input, or that of the QUANTIZE that reads it.
    private static func inputQuantization(
        _ index: Int, _ subgraph: TFLiteModel.Subgraph, _ model: TFLiteModel
    ) -> (Quantization, ElementType)? {
        var positions = [index]
        for node in subgraph.operators where node.inputs.contains(index) {
            guard model.operatorCodes[node.code].builtin == TFLiteBuiltin.quantize.rawValue else { break }
            positions += node.outputs
        }
        for position in positions {
            let tensor = subgraph.tensors[position]
            if let type = TFLiteElementType.elementType(tensor.type), type == .int8 || type == .uint8,
                let quantization = tensor.quantization
            {
                return (quantization, type)
            }
        }
        return nil
    }
}
