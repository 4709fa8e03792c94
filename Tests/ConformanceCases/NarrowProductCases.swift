import Graphs
import Tensors

extension ConformanceCases {
    /// Products of rows with weights of 8 and 4 bits, and convolutions of 8 bits, with results of float32.
    package static let narrowProducts: [ConformanceCase] =
        quantizedProducts + rareQuantizedProducts + nibbleProducts + rareNibbleProducts + convolutionsOfIntegers

    private static let rows = ConformanceCase.Input.activation([2, 9, 70], .float32, .uniform(-3, 3))

    private static func integers(
        _ shape: [Int], _ type: ElementType = .int8, isConstant: Bool = true
    ) -> ConformanceCase.Input {
        ConformanceCase.Input(
            shape: shape, elementType: type, content: type == .int8 ? .whole(-127, 127) : .whole(0, 255),
            isConstant: isConstant)
    }

    private static func scales(_ shape: [Int]) -> ConformanceCase.Input { .weights(shape, .uniform(0.001, 0.01)) }

    private static let quantizedProducts: [ConformanceCase] = {
        let quantizations: [(String, InputQuantization)] = [
            ("by row", .byRow), ("whole", .whole),
            ("fixed uint8", .fixed(scale: 0.02, zeroPoint: 120, elementType: .uint8)),
            ("fixed int8", .fixed(scale: 0.03, zeroPoint: -7, elementType: .int8)),
        ]
        return quantizations.flatMap { name, quantization in
            [
                ConformanceCase(
                    "QuantizedMatMul/\(name)", QuantizedMatMul(quantization),
                    [rows, integers([70, 75]), scales([75])]),
                ConformanceCase(
                    "QuantizedMatMul/\(name), bias, addend and Gelu",
                    QuantizedMatMul(quantization, activation: .gelu(isApproximate: false)),
                    [rows, integers([70, 33]), scales([33]), .weights([33]), .activation([2, 9, 33])]),
                ConformanceCase(
                    "QuantizedMatMul/\(name), weights with a zero point",
                    QuantizedMatMul(quantization, weightZeroPoint: 117),
                    [.activation([5, 16]), integers([16, 40], .uint8), scales([])]),
            ]
        } + [
            ConformanceCase(
                "QuantizedMatMul/one row and ReLU", QuantizedMatMul(.byRow, activation: .relu),
                [.activation([1, 1, 768]), integers([768, 100]), scales([100]), .weights([100])]),
            ConformanceCase(
                "QuantizedMatMul/zeros", QuantizedMatMul(.byRow),
                [.activation([3, 20], .float32, .constant(0)), integers([20, 8]), scales([8]), .weights([8])]),
            ConformanceCase(
                "QuantizedMatMul/many rows", QuantizedMatMul(.byRow),
                [.activation([3, 40, 128]), integers([128, 260]), scales([260])]),
            ConformanceCase(
                "QuantizedMatMul/given int8", QuantizedMatMul(.integers(scale: 0.02, zeroPoint: 5)),
                [integers([4, 30], isConstant: false), integers([30, 20]), scales([20]), .weights([20])]),
            ConformanceCase(
                "QuantizedMatMul/given uint8", QuantizedMatMul(.integers(scale: 0.02, zeroPoint: 99)),
                [integers([4, 64], .uint8, isConstant: false), integers([64, 20]), scales([20])]),
        ]
    }()

    private static let convolutionsOfIntegers: [ConformanceCase] = {
        func offset(_ shape: [Int]) -> ConformanceCase.Input {
            ConformanceCase.Input(shape: shape, elementType: .int32, content: .whole(-9000, 9000), isConstant: false)
        }
        func convolution(
            _ name: String, _ others: [ConformanceCase.Input?], _ input: ElementType = .uint8,
            activation: Activation? = nil
        ) -> ConformanceCase {
            let zeroPoint = ConformanceCase.Input(
                shape: [], elementType: input, content: .whole(0, 100), isConstant: false)
            return ConformanceCase(
                "ConvIntegerToFloat/\(name)",
                ConvIntegerToFloat(ConvInteger(Conv(strides: [2, 1], pads: [1, 0, 1, 1])), activation: activation),
                [
                    integers([2, 3, 17, 16], input, isConstant: false), integers([20, 3, 3, 2]), zeroPoint, nil,
                    .activation([], .float32, .uniform(0.001, 0.01)),
                ] + others)
        }
        return [
            convolution("scale alone", []),
            convolution("int8", [], .int8),
            convolution("bias and ReLU", [nil, .weights([20])], activation: .relu),
            convolution("offset", [offset([1, 20, 1, 1])]),
            convolution("offset, bias and Swish", [offset([20, 1, 1]), .weights([20])], activation: .swish),
        ]
    }()

    private static let nibbleProducts: [ConformanceCase] = {
        func bytes(_ columns: Int, _ blocks: Int, _ size: Int) -> ConformanceCase.Input {
            integers([columns, blocks, size / 2], .uint8)
        }
        return [
            ConformanceCase(
                "MatMulNBits/usual zero point", MatMulNBits(depth: 70, columns: 75, blockSize: 16),
                [rows, bytes(75, 5, 16), scales([375])]),
            ConformanceCase(
                "MatMulNBits/zero points, bias, addend and Gelu",
                MatMulNBits(depth: 70, columns: 33, blockSize: 32, activation: .gelu(isApproximate: true)),
                [
                    rows, bytes(33, 3, 32), scales([33, 3]), integers([66], .uint8), nil, .weights([33]),
                    .activation([2, 9, 33]),
                ]),
            ConformanceCase(
                "MatMulNBits/zero points in float32", MatMulNBits(depth: 64, columns: 20, blockSize: 64),
                [.activation([4, 64]), bytes(20, 1, 64), scales([20]), .weights([20], .uniform(3, 12))]),
            ConformanceCase(
                "MatMulNBits/one row", MatMulNBits(depth: 300, columns: 130, blockSize: 128),
                [.activation([300]), bytes(130, 3, 128), scales([390]), integers([130, 2], .uint8)]),
            ConformanceCase(
                "MatMulNBits/many rows", MatMulNBits(depth: 128, columns: 260, blockSize: 32),
                [.activation([3, 40, 128]), bytes(260, 4, 32), scales([1040])]),
        ]
    }()

    /// Depths that are no multiple of 4, single rows, zero points at the ends of their ranges, and numbers near the
    /// ends of float32's range.
    private static let rareQuantizedProducts: [ConformanceCase] = {
        let points: [(String, InputQuantization, ElementType, Int32)] = [
            ("fixed uint8 less 255, uint8 less 0", .fixed(scale: 0.02, zeroPoint: 255, elementType: .uint8), .uint8, 0),
            (
                "fixed int8 less −128, uint8 less 255", .fixed(scale: 0.02, zeroPoint: -128, elementType: .int8),
                .uint8,
                255
            ),
            ("whole, int8 less −128", .whole, .int8, -128), ("by row, uint8 less 128", .byRow, .uint8, 128),
            ("by row, int8 less 127", .byRow, .int8, 127),
        ]
        let contents: [(String, ConformanceCase.Content, scales: ConformanceCase.Content)] = [
            ("tiny", .uniform(-1e-35, 1e-35), .uniform(1e34, 2e34)),
            ("huge", .uniform(-1e38, 1e38), .uniform(1e-38, 2e-38)),
            ("infinite range", .uniform(-3e38, 3e38), .uniform(1e-38, 2e-38)),
            ("halves", .whole(-127, 127), .uniform(0.001, 0.01)),
        ]
        let ofPoints = points.flatMap { name, quantization, type, point -> [ConformanceCase] in
            [(1, 33), (6, 130)].map { rows, depth -> ConformanceCase in
                let input = ConformanceCase.Input.activation([rows, depth], .float32, .uniform(-2, 4))
                return ConformanceCase(
                    "QuantizedMatMul/\(name), \(rows) × \(depth)",
                    QuantizedMatMul(quantization, weightZeroPoint: point),
                    [input, integers([depth, 21], type), scales([21]), .weights([21])])
            }
        }
        let kinds: [(String, InputQuantization)] = [("by row", .byRow), ("whole", .whole)]
        let ofContents = contents.flatMap { name, content, scales -> [ConformanceCase] in
            kinds.map { kind, quantization -> ConformanceCase in
                let input = ConformanceCase.Input.activation([3, 20], .float32, content)
                return ConformanceCase(
                    "QuantizedMatMul/\(kind), \(name)", QuantizedMatMul(quantization),
                    [input, integers([20, 8]), .weights([8], scales)])
            }
        }
        return ofPoints + ofContents + [
            ConformanceCase(
                "QuantizedMatMul/given uint8 less 255", QuantizedMatMul(.integers(scale: 0.02, zeroPoint: 255)),
                [integers([2, 3, 65], .uint8, isConstant: false), integers([65, 12]), scales([])]),
            ConformanceCase(
                "QuantizedMatMul/by row, rows that are not finite", QuantizedMatMul(.byRow),
                [
                    .activation(
                        [4, 5], .float32,
                        .values(
                            [1, 2, .infinity, 4, 5] + [6, -7, 8, 9, 1] + [.nan, 1, 2, 3, 4] + [3, 1, -.infinity, 0, 2])),
                    integers([5, 8]), scales([8]),
                ]),
            ConformanceCase(
                "QuantizedMatMul/no rows", QuantizedMatMul(.byRow),
                [.activation([0, 20]), integers([20, 8]), scales([8])]),
        ]
    }()

    private static let rareNibbleProducts: [ConformanceCase] = {
        let extents: [(rows: Int, depth: Int, columns: Int, size: Int)] = [
            (1, 768, 9, 32), (2, 19, 300, 256), (3, 16, 1, 16), (7, 1030, 17, 64), (9, 33, 70, 16), (17, 64, 129, 32),
        ]
        return extents.map { rows, depth, columns, size -> ConformanceCase in
            let blocks = (depth + size - 1) / size
            return ConformanceCase(
                "MatMulNBits/\(rows) × \(depth) by \(columns), groups of \(size)",
                MatMulNBits(depth: depth, columns: columns, blockSize: size, activation: .relu),
                [
                    .activation([rows, depth]), integers([columns, blocks, size / 2], .uint8),
                    scales([columns * blocks]), integers([columns * ((blocks + 1) / 2)], .uint8), nil,
                    .weights([columns]),
                ])
        } + [
            ConformanceCase(
                "MatMulNBits/no rows", MatMulNBits(depth: 20, columns: 8, blockSize: 16),
                [.activation([0, 20]), integers([8, 2, 8], .uint8), scales([16])])
        ]
    }()
}
