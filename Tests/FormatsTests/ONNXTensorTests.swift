import Formats
import Foundation
import Tensors
import Testing

struct ONNXTensorTests {
    private func read(_ bytes: [UInt8]) throws -> Tensor {
        try ONNXFormat().readTensor(Data(bytes)).tensor
    }

    /// ONNX's number of a type, its name here, and the bytes of the numbers 1 and 0.
    static let raw: [(type: Int64, elementType: ElementType, bytes: [UInt8])] = [
        (1, .float32, bytes(of: [1, 0])), (2, .uint8, [1, 0]), (3, .int8, [1, 0]),
        (4, .uint16, [1, 0, 0, 0]), (5, .int16, [1, 0, 0, 0]), (6, .int32, [1, 0, 0, 0, 0, 0, 0, 0]),
        (7, .int64, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), (9, .bool, [255, 0]),
        (10, .float16, littleEndian(Float16(1).bitPattern) + [0, 0]),
        (11, .float64, littleEndian(Double(1).bitPattern) + [UInt8](repeating: 0, count: 8)),
        (12, .uint32, [1, 0, 0, 0, 0, 0, 0, 0]),
        (13, .uint64, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (16, .bfloat16, [0x80, 0x3F, 0, 0]), (17, .float8e4m3fn, [0x38, 0]), (18, .float8e4m3fnuz, [0x40, 0]),
        (19, .float8e5m2, [0x3C, 0]), (20, .float8e5m2fnuz, [0x40, 0]), (21, .uint4, [0x01]), (22, .int4, [0x01]),
        (23, .float4e2m1, [0x02]), (25, .uint2, [0x01]), (26, .int2, [0x01]),
    ]

    @Test("Raw data of every element type", arguments: raw.indices)
    func rawData(_ index: Int) throws {
        let (type, elementType, bytes) = Self.raw[index]
        let tensor = try read(tensor("w", type: type, dimensions: [2, 1]) { $0.bytes(9, bytes) })
        #expect(tensor.elementType == elementType)
        #expect(tensor.shape == [2, 1])
        #expect(tensor.elements(as: Double.self) == [1, 0])
    }

    @Test("A bool is stored as 0 or 1, whatever the file says")
    func boolBytes() throws {
        let tensor = try read(tensor("w", type: 9, dimensions: [3]) { $0.bytes(9, [0, 2, 255]) })
        #expect(try tensor.withContiguousBytes(Array.init) == [0, 1, 1])
    }

    @Test("bfloat16 is the upper half of float32")
    func bfloat16() throws {
        let values: [Float] = [1, -2.5, 0.15625, .infinity, 3e38, -0.0, 65280]
        let halves = values.flatMap { littleEndian(UInt16($0.bitPattern >> 16)) }
        let expected = values.map { Float(bitPattern: ($0.bitPattern >> 16) << 16) }
        let tensor = try read(tensor("w", type: 16, dimensions: [7]) { $0.bytes(9, halves) })
        #expect(tensor.elements(as: Float.self) == expected)
    }

    @Test("Every element type in its typed field", arguments: [2, 3, 4, 5, 6, 9] as [Int64])
    func int32Data(_ type: Int64) throws {
        let tensor = try read(tensor("w", type: type, dimensions: [2]) { $0.packed(5, [1, 0]) })
        #expect(tensor.elements(as: Double.self) == [1, 0])
    }

    @Test("Typed fields of the other types")
    func typedData() throws {
        let float = try read(
            tensor("w", dimensions: [2]) {
                $0.float(4, 1.5)
                $0.float(4, -2)
            })
        #expect(float.elements(as: Float.self) == [1.5, -2])
        let double = try read(
            tensor("w", type: 11, dimensions: [1]) { $0.bytes(10, littleEndian(Double(0.1).bitPattern)) })
        #expect(double.elements(as: Double.self) == [0.1])
        let int64 = try read(tensor("w", type: 7, dimensions: [2]) { $0.packed(7, [-1, .min]) })
        #expect(int64.elements(as: Int64.self) == [-1, .min])
        let uint64 = try read(tensor("w", type: 13, dimensions: [1]) { $0.packed(11, [-1]) })
        #expect(uint64.elements(as: UInt64.self) == [.max])
        let uint32 = try read(tensor("w", type: 12, dimensions: [1]) { $0.packed(11, [4_294_967_295]) })
        #expect(uint32.elements(as: UInt32.self) == [.max])
        let half = try read(
            tensor("w", type: 10, dimensions: [1]) { $0.packed(5, [Int64(Float16(-1.5).bitPattern)]) })
        #expect(half.elements(as: Float.self) == [-1.5])
        let brain = try read(tensor("w", type: 16, dimensions: [1]) { $0.packed(5, [0x3F80]) })
        #expect(brain.elements(as: Float.self) == [1])
    }

    @Test("A scalar and an empty tensor")
    func edges() throws {
        let scalar = try read(tensor("w", dimensions: []) { $0.bytes(9, bytes(of: [3])) })
        #expect(scalar.shape == [])
        #expect(scalar.elements(as: Float.self) == [3])
        let empty = try read(tensor("w", dimensions: [2, 0, 4]))
        #expect(empty.shape == [2, 0, 4])
        #expect(empty.elementCount == 0)
    }
}
