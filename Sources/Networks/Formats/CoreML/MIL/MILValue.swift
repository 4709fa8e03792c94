import FoundationEssentials
import Graphs
import Tensors

/// What a name in an ML program refers to.
enum MILOperand {
    /// A value of the graph.
    case value(Graph.ValueID)
    /// Numbers that are part of the program.
    case tensor(Tensor)
    case text(String)
    /// Several operands, from a list or a split.
    case list([MILOperand])
}

/// Converts the constants of an ML program to tensors and texts. All floating-point numbers become float32, in which
/// networks are computed.
final class MILConstants {
    private let folder: URL?
    private var files: [String: ModelFile] = [:]
    private static let modelPath = "@model_path/"

    init(folder: URL?) { self.folder = folder }

    func operand(_ value: CoreMLMILValue) throws(FormatError) -> MILOperand {
        switch value.value {
        case .immediate(let immediate):
            switch immediate.value {
            case .tensor(let tensor): return try operand(tensor, value.type)
            case .list(let list):
                var parts: [MILOperand] = []
                for part in list.values { parts.append(try operand(part)) }
                return .list(parts)
            case nil: throw .invalid("a constant has no value")
            }
        case .blobFile(let place): return .tensor(try blob(place).tensor(shape: try Self.shape(value.type.tensor)))
        case nil: throw .invalid("a constant has no value")
        }
    }

    /// The record of a weight file that a value refers to.
    func blob(_ place: CoreMLMILValue.BlobFile) throws(FormatError) -> MILBlob {
        guard let folder else {
            throw .unsupported("weights in a file beside the model, which was not read from a folder")
        }
        guard place.fileName.hasPrefix(Self.modelPath) else {
            throw .invalid("\"\(place.fileName)\" is not a path beside the model")
        }
        let name = String(place.fileName.dropFirst(Self.modelPath.count))
        let file: ModelFile
        if let open = files[name] {
            file = open
        } else {
            if files.count >= 16 { files = [:] }
            file = try ModelFile(name, in: folder)
            files[name] = file
        }
        return try MILBlob(file, at: place.offset)
    }

    private func operand(_ tensor: CoreMLMILTensorValue, _ type: CoreMLMILType) throws(FormatError) -> MILOperand {
        let shape = try Self.shape(type.tensor)
        switch tensor.value {
        case .floats(let list): return .tensor(try LayerWriter.tensor(list.values, shape))
        case .doubles(let list): return .tensor(try LayerWriter.tensor(list.values.map { Float($0) }, shape))
        case .ints(let list): return .tensor(try LayerWriter.tensor(list.values, shape))
        case .longInts(let list):
            return .tensor(try LayerWriter.tensor(list.values.map { Int32(clamping: $0) }, shape))
        case .bools(let list): return .tensor(try LayerWriter.tensor(list.values, shape))
        case .strings(let list):
            guard let text = list.values.first, list.values.count == 1 else {
                return .list(list.values.map { .text($0) })
            }
            return .text(text)
        case .bytes(let list): return .tensor(try numbers([UInt8](list.values), type.tensor.dataType, shape))
        case nil: return .tensor(try LayerWriter.tensor([Float](), shape))
        }
    }

    private func numbers(_ bytes: [UInt8], _ dataType: Int32, _ shape: [Int]) throws(FormatError) -> Tensor {
        guard let type = MILDataType(rawValue: dataType) else {
            throw .unsupported("constants of type \(dataType), which Apus does not know")
        }
        do {
            if let (bitCount, isSigned) = type.packing {
                guard bytes.count == (try Shape.elementCount(shape) * bitCount + 7) / 8 else {
                    throw FormatError.invalid("shape \(shape) of \(type) does not fit \(bytes.count) bytes")
                }
                return try Tensor(bytes, shape: [bytes.count]).unpacked(bitCount, isSigned: isSigned, shape: shape)
            }
            guard let elementType = type.storedType else {
                throw FormatError.unsupported("constants of type \(type) as bytes")
            }
            guard bytes.count == (try Shape.byteCount(shape, elementType)) else {
                throw FormatError.invalid("shape \(shape) does not fit \(bytes.count) bytes")
            }
            let tensor = try Tensor(elementType, shape: shape) { $0.copyBytes(from: bytes) }
            switch type {
            case .float16, .bfloat16, .float8e4m3fn, .float8e5m2: return try tensor.converted(to: .float32)
            case .int16, .uint16, .uint32, .uint64: return try tensor.converted(to: .int32)
            default: return tensor
            }
        } catch {
            throw FormatError(error)
        }
    }

    /// The extents of a type; all must be known.
    static func shape(_ type: CoreMLMILTensorType) throws(FormatError) -> [Int] {
        var shape: [Int] = []
        for dimension in type.dimensions {
            guard dimension.hasConstant else { throw .unsupported("extents that are known only in a run") }
            shape.append(dimension.constant.size.count)
        }
        return shape
    }
}

/// The element types of ML programs.
enum MILDataType: Int32 {
    case bool = 1
    case string = 2
    case float16 = 10
    case float32, float64, bfloat16
    case int8 = 21
    case int16, int32, int64, int4
    case uint8 = 31
    case uint16, uint32, uint64, uint4, uint2, uint1, uint6, uint3
    case float8e4m3fn, float8e5m2

    /// The element type of a constant's bytes.
    var storedType: ElementType? {
        switch self {
        case .bool, .string, .float64, .int64, .int4, .uint4, .uint2, .uint1, .uint6, .uint3: nil
        case .bfloat16: .bfloat16
        case .float8e4m3fn: .float8e4m3fn
        case .float8e5m2: .float8e5m2
        case .uint64: .uint64
        case .float16: .float16
        case .float32: .float32
        case .int8: .int8
        case .int16: .int16
        case .int32: .int32
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        }
    }

    /// The bits of an integer that shares bytes with others; nil for other types.
    var packing: (bitCount: Int, isSigned: Bool)? {
        switch self {
        case .uint1: (1, false)
        case .uint2: (2, false)
        case .uint3: (3, false)
        case .int4: (4, true)
        case .uint4: (4, false)
        case .uint6: (6, false)
        default: nil
        }
    }
}
