import Graphs
import Tensors

/// Turns a graph into a `ModelProto`.
struct ONNXModelWriter {
    private let graph: Graph
    private let producer: String
    private let outputTypes: [SymbolicType?]

    init(_ graph: Graph, producer: String) throws(FormatError) {
        self.producer = producer
        let types = (try? graph.inferSymbolicTypes()).flatMap { $0 } ?? []
        outputTypes = graph.outputs.map { $0.index < types.count ? types[$0.index] : nil }
        self.graph = try ONNXGraphAdapter(graph).adapted()
    }

    func message() throws(FormatError) -> ONNXModelProto {
        var message = ONNXModelProto()
        var operatorSet = ONNXOperatorSetIdProto()
        operatorSet.version = Int64(graph.nodes.map(\.requiredOpset).reduce(ONNXGraphAdapter.opset, max))
        message.irVersion = Self.formatVersion(of: operatorSet.version)
        message.opsetImport = [operatorSet]
        for domain in Set(graph.nodes.map { type(of: $0.operation).domain }).sorted() where !domain.isEmpty {
            var operatorSet = ONNXOperatorSetIdProto()
            operatorSet.domain = domain
            operatorSet.version = 1
            message.opsetImport.append(operatorSet)
        }
        message.producerName = producer
        addMetadata(to: &message)
        message.graph = try contents()
        return message
    }

    /// The version of the format that was published with a version of the default domain's operator set.
    private static func formatVersion(of operatorSet: Int64) -> Int64 {
        switch operatorSet {
        case ..<19: 8
        case ..<21: 9
        case ..<23: 10
        case 23: 11
        case 24: 12
        default: 13
        }
    }

    /// Copies the metadata of the original file, except entries about its format.
    private func addMetadata(to message: inout ONNXModelProto) {
        let replaced = ["ir_version", "opset_import", "producer_name", "producer_version"]
        for (key, value) in graph.metadata.sorted(by: { $0.key < $1.key }) where !replaced.contains(key) {
            switch key {
            case "model_version": message.modelVersion = Int64(value) ?? 0
            case "domain": message.domain = value
            case "doc_string": message.docString = value
            default:
                var entry = ONNXStringStringEntryProto()
                entry.key = key
                entry.value = value
                message.metadataProps.append(entry)
            }
        }
    }

    private func contents() throws(FormatError) -> ONNXGraphProto {
        var contents = ONNXGraphProto()
        contents.name = graph.name.isEmpty ? "network" : graph.name
        contents.input = graph.inputs.map { valueInfo($0, graph[$0].elementType, graph[$0].shape) }
        for (id, type) in zip(graph.outputs, outputTypes)
        where !contents.output.contains(where: { $0.name == name(id) }) {
            contents.output.append(
                valueInfo(id, type?.elementType ?? graph[id].elementType, type?.shape ?? graph[id].shape))
        }
        for node in graph.nodes { contents.node.append(try message(node)) }
        let needed = Set(graph.nodes.flatMap(\.inputs).compactMap { $0 } + graph.outputs)
        for (id, tensor) in graph.initializers.sorted(by: { $0.key.index < $1.key.index }) where needed.contains(id) {
            contents.initializer.append(try ONNXTensorProto(tensor, name: name(id)))
        }
        return contents
    }

    private func name(_ id: Graph.ValueID) -> String { graph[id].name }

    private func message(_ node: Graph.Node) throws(FormatError) -> ONNXNodeProto {
        var message = ONNXNodeProto()
        message.name = node.name
        message.opType = node.operatorName
        message.domain = type(of: node.operation).domain
        message.input = names(node.inputs)
        message.output = names(node.outputs)
        for (name, value) in node.operation.attributes.sorted(by: { $0.key < $1.key }) {
            do throws(FormatError) {
                message.attribute.append(try ONNXAttributeProto(name, value))
            } catch {
                throw error.about("node \"\(node.name)\" (\(node.operatorName))")
            }
        }
        return message
    }

    /// The names of operands. Absent operands at the end are not listed; other absent operands are empty.
    private func names(_ operands: [Graph.ValueID?]) -> [String] {
        let count = operands.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
        return operands[..<count].map { $0.map(name) ?? "" }
    }

    private func valueInfo(_ id: Graph.ValueID, _ elementType: ElementType?, _ shape: Shape?) -> ONNXValueInfoProto {
        var message = ONNXValueInfoProto()
        message.name = name(id)
        message.type.tensorType.elemType = ONNXDataType(elementType ?? .float32).rawValue
        guard let shape else { return message }
        message.type.tensorType.shape.dim = shape.dimensions.map { dimension in
            var message = ONNXTensorShapeProto.Dimension()
            switch dimension {
            case .fixed(let extent): message.dimValue = Int64(extent)
            case .symbol(let name): message.dimParam = name
            }
            return message
        }
        return message
    }
}

extension Graph.Node {
    /// The first version of the default domain that supports the node's attributes and element types.
    fileprivate var requiredOpset: Int {
        switch operation {
        case is SwiGLU: 28
        case let operation as SpaceToDepth where operation.isChannelFirst: 28
        case is CausalConvWithState, is LinearAttention: 27
        case is BitCast, is CumProd: 26
        case let cast as Cast: cast.requiredOpset
        case is Swish, is TensorScatter: 24
        case let attention as Attention where attention.leftWindow != nil || attention.rightWindow != nil: 25
        case is Attention where inputs.count > 6: 24
        case is Attention, is RMSNormalization, is RotaryEmbedding: 23
        case let operation as DequantizeLinear where operation.elementType != nil: 23
        case let operation as DequantizeLinear where operation.grid.blockSize > 0: 21
        case let operation as QuantizeLinear where operation.grid.blockSize > 0 || operation.elementType != nil: 21
        case is GroupNormalization: 21
        case is AffineGrid, is Gelu, is GridSample: 20
        case is DeformConv: 19
        case let pad as Pad where pad.mode == .wrap: 19
        case let pool as AveragePool where pool.window.dilations.contains { $0 != 1 }: 19
        case let resize as Resize where resize.interpolation.coordinates == .halfPixelSymmetric: 19
        default: 1
        }
    }
}

extension Cast {
    /// The first version of the default domain that has the element type, if that is later than the usual version.
    fileprivate var requiredOpset: Int {
        switch to {
        case .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz: 19
        case .int4, .uint4: 21
        case .float4e2m1: 23
        case .float8e8m0: 24
        case .int2, .uint2: 25
        default: 1
        }
    }
}
