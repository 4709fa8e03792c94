import Graphs
import Tensors
import Testing

struct NarrowProductTests {
    private static let fitting: [String: AttributeValue] = ["K": .int(70), "N": .int(3), "block_size": .int(16)]

    @Test(
        "Attributes of MatMulNBits that mean nothing are errors",
        arguments: [
            (["K": AttributeValue.int(0)], "\"K\" is 0"), (["K": .int(.min)], "\"K\" is"),
            (["N": .int(-1)], "\"N\" is -1"),
            (["block_size": .int(8)], "power of two"), (["block_size": .int(24)], "power of two"),
            (["block_size": .int(.min)], "\"block_size\" is"), (["bits": .int(8)], "weights of 8 bits"),
            (["bits": .int(0)], "weights of 0 bits"), (["K": .float(2)], "\"K\""),
        ] as [([String: AttributeValue], String)])
    func attributes(change: [String: AttributeValue], message: String) {
        var reader = AttributeReader(Self.fitting.merging(change) { $1 })
        let error = #expect(throws: OperatorError.self) { try MatMulNBits(&reader) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("Attributes of MatMulNBits must be given")
    func missing() {
        for name in Self.fitting.keys {
            var reader = AttributeReader(Self.fitting.filter { $0.key != name })
            #expect(throws: OperatorError.self) { try MatMulNBits(&reader) }
        }
    }

    private static let inputs: [TensorType?] = [
        TensorType(.float32, [2, 70]), TensorType(.uint8, [3, 5, 8]), TensorType(.float32, [15]),
        TensorType(.uint8, [9]), nil, TensorType(.float32, [3]), TensorType(.float32, [2, 3]),
    ]

    @Test("Shapes and types that do not fit MatMulNBits are errors")
    func shapes() throws {
        let operation = MatMulNBits(depth: 70, columns: 3, blockSize: 16)
        #expect(try operation.outputTypes(for: Self.inputs).map(\.shape) == [[2, 3]])
        #expect(try operation.outputTypes(for: Array(Self.inputs.prefix(3))).map(\.shape) == [[2, 3]])
        let wrong: [(Int, TensorType?)] = [
            (0, nil), (0, TensorType(.float32, [])), (0, TensorType(.float32, [2, 71])),
            (0, TensorType(.int32, [2, 70])),
            (1, nil), (1, TensorType(.int8, [3, 5, 8])), (1, TensorType(.uint8, [3, 40])),
            (1, TensorType(.uint8, [3, 4, 8])), (2, nil), (2, TensorType(.float32, [16])),
            (2, TensorType(.float64, [15])), (3, TensorType(.uint8, [8])), (3, TensorType(.int8, [9])),
            (3, TensorType(.float32, [9])), (4, TensorType(.int32, [70])), (5, TensorType(.float32, [2])),
            (5, TensorType(.float16, [3])), (6, TensorType(.float32, [3, 2])),
        ]
        for (position, type) in wrong {
            var inputs = Self.inputs
            inputs[position] = type
            #expect(throws: OperatorError.self, "input \(position), \(type.map { "\($0)" } ?? "absent")") {
                try operation.outputTypes(for: inputs)
            }
        }
        let huge = MatMulNBits(depth: .max, columns: .max, blockSize: 1 << 62)
        #expect(throws: OperatorError.self) { try huge.outputTypes(for: Self.inputs) }
    }

    @Test("MatMulNBits takes two weights from a byte, and the zero point of each group")
    func numbers() throws {
        // 18 rows of weights: a group of 16, and one of 2. The bytes are 0x21, 0x43, …
        var bytes = [UInt8](repeating: 0x88, count: 16)
        (bytes[0], bytes[8]) = (0x21, 0xF3)
        let inputs: [Tensor?] = [
            try Tensor([Float](repeating: 1, count: 18), shape: [18]), try Tensor(bytes, shape: [1, 2, 8]),
            try Tensor([Float(0.5), 2], shape: [2]), try Tensor([UInt8(0x48)], shape: [1]),
        ]
        let operation = MatMulNBits(depth: 18, columns: 1, blockSize: 16)
        let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
        let y = try operation.evaluate(inputs, outputTypes: types)[0]
        // (1 − 8) / 2 + (2 − 8) / 2, and (3 − 4) · 2 + (15 − 4) · 2.
        #expect(y.shape == [1] && y.elements(as: Float.self) == [13.5])
    }

    @Test("Shapes and types that do not fit QuantizedMatMul are errors")
    func quantizedShapes() throws {
        let fitting: [TensorType?] = [
            TensorType(.float32, [2, 5]), TensorType(.int8, [5, 3]), TensorType(.float32, [3]),
            TensorType(.float32, [3]), TensorType(.float32, [2, 3]),
        ]
        #expect(try QuantizedMatMul(.byRow).outputTypes(for: fitting).map(\.shape) == [[2, 3]])
        let wrong: [(Int, TensorType?)] = [
            (0, nil), (0, TensorType(.float32, [5])), (0, TensorType(.float32, [2, 6])),
            (0, TensorType(.uint8, [2, 5])),
            (1, nil), (1, TensorType(.float32, [5, 3])), (1, TensorType(.int8, [5])), (2, nil),
            (2, TensorType(.float32, [2])), (2, TensorType(.float64, [3])), (3, TensorType(.float32, [])),
            (4, TensorType(.float32, [3])),
        ]
        for (position, type) in wrong {
            var inputs = fitting
            inputs[position] = type
            #expect(throws: OperatorError.self, "input \(position)") {
                try QuantizedMatMul(.byRow).outputTypes(for: inputs)
            }
        }
        for scale in [Float(0), -1, .nan, .infinity] {
            let quantization = InputQuantization.fixed(scale: scale, zeroPoint: 0, elementType: .int8)
            #expect(throws: OperatorError.self) { try QuantizedMatMul(quantization).outputTypes(for: fitting) }
        }
        #expect(throws: OperatorError.self) {
            try QuantizedMatMul(.integers(scale: 1, zeroPoint: 0)).outputTypes(for: fitting)
        }
    }
}
