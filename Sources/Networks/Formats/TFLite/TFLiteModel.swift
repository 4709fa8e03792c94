import FoundationEssentials
import Graphs
import Tensors

/// The decoded tables of a TensorFlow Lite file. Indices and numbers that need no other table are checked.
///
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs
struct TFLiteModel {
    /// An operator that a model uses.
    struct OperatorCode {
        let builtin: Int
        let custom: String
        let version: Int
    }

    /// An array of a subgraph.
    struct Tensor {
        let name: String
        let shape: [Int]
        /// The extents; −1 for those that a run determines.
        let signature: [Int]
        let type: Int
        let buffer: Int
        let quantization: Quantization?
        let sparsity: FlatBufferTable?
        let isVariable: Bool
    }

    /// One application of an operator.
    struct Operator {
        let code: Int
        /// The indices of tensors; −1 where an optional input is absent.
        let inputs: [Int]
        let outputs: [Int]
        let options: FlatBufferTable?
        let customOptions: Range<Int>?
    }

    /// One network of a model.
    struct Subgraph {
        let name: String
        let tensors: [Tensor]
        let inputs: [Int]
        let outputs: [Int]
        let operators: [Operator]
    }

    /// The names by which the maker of a model knows a subgraph, its inputs and its outputs.
    struct Signature {
        let name: String
        let subgraph: Int
        let inputs: [(name: String, tensor: Int)]
        let outputs: [(name: String, tensor: Int)]
    }

    let version: Int
    let description: String
    let signatures: [Signature]
    let operatorCodes: [OperatorCode]
    let subgraphs: [Subgraph]
    /// The range of each buffer's bytes in the file; empty for computed tensors.
    let buffers: [Range<Int>]
    /// The buffers of metadata, by name.
    let metadata: [String: Int]
    let file: FlatBuffer

    init(_ content: ModelContent) throws(FormatError) {
        file = try FlatBuffer(content)
        let root = try file.root()
        version = Int(try root.integer(0, as: UInt32.self))
        guard version == 3 else { throw .unsupported("version \(version) of the format; only version 3 is supported") }
        var codes: [OperatorCode] = []
        for table in try root.tables(1, "operator code") {
            let builtin = max(Int(try table.integer(0, as: Int8.self)), try table.int(3))
            codes.append(
                OperatorCode(builtin: builtin, custom: try table.string(1) ?? "", version: try table.int(2, default: 1))
            )
        }
        operatorCodes = codes
        var buffers: [Range<Int>] = []
        for table in try root.tables(4, "buffer") { buffers.append(try Self.buffer(table, file)) }
        self.buffers = buffers
        var subgraphs: [Subgraph] = []
        for table in try root.tables(2, "subgraph") {
            subgraphs.append(try Self.subgraph(table, codeCount: codes.count, bufferCount: buffers.count))
        }
        self.subgraphs = subgraphs
        description = try root.string(3) ?? ""
        var metadata: [String: Int] = [:]
        for table in try root.tables(6, "metadata") {
            let buffer = Int(try table.integer(1, as: UInt32.self))
            guard buffers.indices.contains(buffer) else { throw .invalid("\(table.name) names buffer \(buffer)") }
            metadata[try table.string(0) ?? ""] = buffer
        }
        self.metadata = metadata
        var signatures: [Signature] = []
        for table in try root.tables(7, "signature") {
            let subgraph = Int(try table.integer(4, as: UInt32.self))
            func names(_ field: Int, _ kind: String) throws(FormatError) -> [(name: String, tensor: Int)] {
                var names: [(name: String, tensor: Int)] = []
                for entry in try table.tables(field, kind) {
                    let tensor = Int(try entry.integer(1, as: UInt32.self))
                    names.append((try entry.string(0) ?? "", tensor))
                }
                return names
            }
            signatures.append(
                Signature(
                    name: try table.string(2) ?? "", subgraph: subgraph,
                    inputs: try names(0, "input of a signature"), outputs: try names(1, "output of a signature")))
        }
        self.signatures = signatures
    }

    /// What the signatures say, as entries of metadata: the names of inputs and outputs, with those of their tensors.
    var signatureTexts: [String: String] {
        var texts: [String: String] = [:]
        for signature in signatures.prefix(100) where subgraphs.indices.contains(signature.subgraph) {
            let tensors = subgraphs[signature.subgraph].tensors
            func list(_ names: [(name: String, tensor: Int)]) -> String {
                names.prefix(20).map { entry in
                    guard tensors.indices.contains(entry.tensor) else { return entry.name }
                    let tensor = tensors[entry.tensor].name
                    return tensor == entry.name ? tensor : "\(entry.name) (\(tensor))"
                }.joined(separator: ", ")
            }
            let text = "\(list(signature.inputs)) → \(list(signature.outputs))"
            texts["signature \(signature.name)"] = signature.subgraph == 0 ? text : "\(text); not read"
        }
        return texts
    }

    /// The bytes of an entry of the metadata; nil when there is none, or it is empty.
    func metadataContent(_ name: String) -> Data? {
        guard let buffer = metadata[name], !buffers[buffer].isEmpty else { return nil }
        return Data(file.bytes[buffers[buffer]])
    }

    /// The range of a buffer's bytes, which files of more than 2 GB keep outside the buffer's table.
    private static func buffer(_ table: FlatBufferTable, _ file: FlatBuffer) throws(FormatError) -> Range<Int> {
        let offset = try table.integer(1, as: UInt64.self)
        guard offset > 1 else { return try table.bytes(0) ?? 0..<0 }
        let size = try table.integer(2, as: UInt64.self)
        guard offset <= file.bytes.count, size <= UInt64(file.bytes.count) - offset else {
            throw .invalid("\(table.name) lies outside the file")
        }
        return Int(offset)..<Int(offset + size)
    }

    private static func subgraph(
        _ table: FlatBufferTable, codeCount: Int, bufferCount: Int
    ) throws(FormatError) -> Subgraph {
        var tensors: [Tensor] = []
        for entry in try table.tables(0, "tensor") { tensors.append(try tensor(entry, bufferCount: bufferCount)) }
        func checked(_ indices: [Int], _ name: String, allowsNone: Bool) throws(FormatError) -> [Int] {
            for index in indices where !tensors.indices.contains(index) && !(allowsNone && index == -1) {
                throw .invalid("\(name) names tensor \(index) of \(tensors.count)")
            }
            return indices
        }
        var operators: [Operator] = []
        for entry in try table.tables(3, "operator") {
            let code = Int(try entry.integer(0, as: UInt32.self))
            guard code < codeCount else { throw .invalid("\(entry.name) names operator code \(code) of \(codeCount)") }
            operators.append(
                Operator(
                    code: code, inputs: try checked(try entry.ints(1) ?? [], entry.name, allowsNone: true),
                    outputs: try checked(try entry.ints(2) ?? [], entry.name, allowsNone: false),
                    options: try entry.table(4, "options"), customOptions: try entry.bytes(5)))
        }
        return Subgraph(
            name: try table.string(4) ?? "", tensors: tensors,
            inputs: try checked(try table.ints(1) ?? [], "the list of inputs", allowsNone: false),
            outputs: try checked(try table.ints(2) ?? [], "the list of outputs", allowsNone: false),
            operators: operators)
    }

    private static func tensor(_ table: FlatBufferTable, bufferCount: Int) throws(FormatError) -> Tensor {
        let shape = try table.ints(0) ?? []
        let signature = try table.ints(7) ?? shape
        let buffer = Int(try table.integer(2, as: UInt32.self))
        guard try table.integer(10, as: UInt32.self) == 0 else {
            throw .unsupported(
                "\(table.name), \"\(try table.string(3) ?? "")\": its elements lie in an external file "
                    + "(external_buffer); convert the network into one file")
        }
        guard buffer < bufferCount || buffer == 0 else { throw .invalid("\(table.name) names buffer \(buffer)") }
        guard shape.allSatisfy({ $0 >= 0 }), shape.count <= 8 else {
            throw .invalid("\(table.name) has the shape \(shape)")
        }
        guard signature.count == shape.count, signature.allSatisfy({ $0 >= -1 }) else {
            throw .invalid("\(table.name) has the shape \(shape) and the signature \(signature)")
        }
        do {
            _ = try Shape.elementCount(shape)
        } catch {
            throw .invalid("\(table.name): \(error)")
        }
        return Tensor(
            name: try table.string(3) ?? "", shape: shape, signature: signature, type: try table.byte(1),
            buffer: buffer, quantization: try quantization(table, shape),
            sparsity: try table.table(6, "sparsity"), isVariable: try table.bool(5))
    }

    private static func quantization(
        _ tensor: FlatBufferTable, _ shape: [Int]
    ) throws(FormatError) -> Quantization? {
        let elementType = TFLiteElementType.elementType(try tensor.byte(1))
        // Details of a kind replace scales and zero points.
        if let details = try tensor.table(4, "quantization")?.byte(4), details != 0 {
            let kinds = [1: "CustomQuantization", 2: "BlockwiseQuantization", 3: "MultiAxisQuantization"]
            throw .unsupported(
                "\(tensor.name), \"\(try tensor.string(3) ?? "")\": quantization by "
                    + "\(kinds[details] ?? "details of kind \(details)"), such as scales for blocks of elements; "
                    + "convert the network with one scale for a tensor or for each channel")
        }
        guard elementType?.isFloatingPoint != true, let table = try tensor.table(4, "quantization"),
            let scales = try table.floats(2), !scales.isEmpty
        else {
            return nil
        }
        var zeroPoints = (try table.integers(3, as: Int64.self) ?? []).map(Int.init)
        if zeroPoints.isEmpty { zeroPoints = [0] }
        if zeroPoints.count == 1, scales.count > 1 { zeroPoints = scales.map { _ in zeroPoints[0] } }
        let axis = try table.int(6)
        guard zeroPoints.count == scales.count else {
            throw .invalid("\(tensor.name): \(zeroPoints.count) zero points do not fit its \(scales.count) scales")
        }
        let range = elementType == .int4 ? -8...7 : elementType?.quantizedRange ?? -65536...65536
        if let zeroPoint = zeroPoints.first(where: { Int32(exactly: $0).map(range.contains) != true }) {
            throw .invalid(
                "\(tensor.name): the zero point \(zeroPoint) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        guard scales.allSatisfy({ $0.isFinite && $0 > 0 }) else {
            throw .invalid("\(tensor.name): a scale is \(scales.first { !($0.isFinite && $0 > 0) } ?? 0)")
        }
        if scales.count > 1 {
            guard shape.indices.contains(axis), shape[axis] == scales.count else {
                throw .invalid(
                    "\(tensor.name): \(scales.count) scales along axis \(axis) do not fit the shape \(shape)")
            }
        }
        return Quantization(scales: scales, zeroPoints: zeroPoints, axis: scales.count > 1 ? axis : nil)
    }
}
