import Graphs
import Tensors

/// The constants of a subgraph, decoded on demand.
struct TFLiteConstants {
    private let model: TFLiteModel
    private let tensors: [TFLiteModel.Tensor]
    private let memory: WeightMemory
    private var decoded: [Int: Tensor] = [:]

    init(_ model: TFLiteModel, _ subgraph: TFLiteModel.Subgraph) {
        self.model = model
        tensors = subgraph.tensors
        memory = WeightMemory(expecting: 0)
    }

    /// Whether the file holds the elements of a tensor.
    func contains(_ index: Int) -> Bool {
        let tensor = tensors[index]
        guard tensor.buffer > 0, !tensor.isVariable else { return false }
        return !model.buffers[tensor.buffer].isEmpty || tensor.shape.contains(0)
    }

    /// The elements of a tensor; nil when they are computed.
    ///
    /// - Throws: ``FormatError`` when the number of bytes does not match the shape.
    mutating func tensor(_ index: Int) throws(FormatError) -> Tensor? {
        if let tensor = decoded[index] { return tensor }
        guard contains(index) else { return nil }
        let tensor: Tensor
        do throws(FormatError) {
            tensor = try read(tensors[index])
        } catch {
            throw error.about("tensor \"\(tensors[index].name)\"")
        }
        decoded[index] = tensor
        return tensor
    }

    private func read(_ tensor: TFLiteModel.Tensor) throws(FormatError) -> Tensor {
        guard let elementType = TFLiteElementType.elementType(tensor.type) else {
            throw .unsupported("elements of type \(TFLiteElementType.name(tensor.type))")
        }
        let range = model.buffers[tensor.buffer]
        do {
            if let sparsity = tensor.sparsity {
                return try TFLiteSparsity(sparsity, shape: tensor.shape, elementType)
                    .dense(model.file.bytes[range], memory)
            }
            let count = try Shape.elementCount(tensor.shape)
            let packed = elementType == .int4
            let expected = packed ? (count + 1) / 2 : try Shape.byteCount(tensor.shape, elementType)
            guard range.count == expected else {
                throw FormatError.invalid("shape \(tensor.shape) needs \(expected) bytes, but \(range.count) are given")
            }
            return try memory.tensor(elementType, shape: tensor.shape) { destination in
                if packed {
                    for index in destination.indices {
                        let byte = model.file.bytes[range.lowerBound + index / 2]
                        let bits = Int8(bitPattern: index % 2 == 0 ? byte << 4 : byte & 0xF0) >> 4
                        destination[index] = UInt8(bitPattern: bits)
                    }
                } else {
                    model.file.bytes[range].withUnsafeBytes { destination.copyMemory(from: $0) }
                }
                if elementType == .bool {
                    for index in destination.indices where destination[index] != 0 { destination[index] = 1 }
                }
            }
        } catch {
            throw FormatError(error)
        }
    }
}
