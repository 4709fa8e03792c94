import Graphs
import Tensors

extension ConformanceCases {
    private static func bytes(
        _ shape: [Int], _ type: ElementType, _ content: ConformanceCase.Content? = nil, isConstant: Bool = false
    ) -> ConformanceCase.Input {
        ConformanceCase.Input(
            shape: shape, elementType: type, content: content ?? (type == .int8 ? .whole(-128, 127) : .whole(0, 255)),
            isConstant: isConstant)
    }

    private static func point(
        _ type: ElementType, _ number: Int, isConstant: Bool = true
    ) -> ConformanceCase.Input { bytes([], type, .constant(Double(number)), isConstant: isConstant) }

    private static func scale(_ shape: [Int] = []) -> ConformanceCase.Input { .weights(shape, .uniform(0.01, 0.1)) }

    /// Products of two matrices of 8-bit integers, of which both may be computed: stacks, single rows, depths that are
    /// no multiple of 4, zero points at the ends of their ranges, and zero points of rows and columns.
    static let computedFactors: [ConformanceCase] = stackedSums + roundedProducts

    private static let stackedSums: [ConformanceCase] = {
        let types: [(ElementType, Int, ElementType, Int)] = [
            (.uint8, 255, .int8, -128), (.int8, 127, .uint8, 0), (.int8, -128, .int8, 127), (.uint8, 0, .uint8, 255),
        ]
        let shapes: [(a: [Int], b: [Int])] = [
            ([9, 70], [70, 33]), ([2, 3, 5, 19], [2, 3, 19, 8]), ([1, 130], [130, 7]), ([4, 6, 64], [64, 20]),
        ]
        let pairs = types.flatMap { left, leftPoint, right, rightPoint -> [ConformanceCase] in
            shapes.flatMap { a, b -> [ConformanceCase] in
                let name = "MatMulInteger/\(left)\(a) less \(leftPoint), \(right)\(b) less \(rightPoint)"
                return [false, true].map { isConstant -> ConformanceCase in
                    ConformanceCase(
                        isConstant ? "\(name), weights" : name, MatMulInteger(),
                        [
                            bytes(a, left), bytes(b, right, isConstant: isConstant),
                            point(left, leftPoint, isConstant: isConstant), point(right, rightPoint),
                        ])
                }
            }
        }
        return pairs + [
            ConformanceCase(
                "MatMulInteger/computed zero points of rows and columns", MatMulInteger(),
                [
                    bytes([2, 9, 70], .uint8), bytes([2, 70, 33], .int8), bytes([2, 9, 1], .uint8),
                    bytes([2, 1, 33], .int8),
                ]),
            ConformanceCase(
                "MatMulInteger/computed zero points of the columns of weights", MatMulInteger(),
                [
                    bytes([2, 9, 70], .int8), bytes([70, 33], .uint8, isConstant: true), bytes([9], .int8),
                    bytes([33], .uint8),
                ]),
            ConformanceCase(
                "MatMulInteger/zero points of matrices", MatMulInteger(),
                [
                    bytes([3, 3, 20], .int8), bytes([3, 20, 3], .int8), bytes([3, 1, 1], .int8),
                    bytes([3, 1, 1], .int8),
                ]),
            ConformanceCase(
                "MatMulInteger/no rows", MatMulInteger(),
                [bytes([0, 8], .int8), bytes([8, 5], .int8, isConstant: true)]
            ),
            ConformanceCase(
                "MatMulInteger/no depth", MatMulInteger(), [bytes([3, 0], .uint8), bytes([0, 5], .int8)]),
            ConformanceCase(
                "MatMulInteger/the largest sums", MatMulInteger(),
                [
                    bytes([2, 32768], .uint8, .constant(255)), bytes([32768, 3], .int8, .constant(-128)),
                    point(.uint8, 0), point(.int8, 127),
                ]),
        ]
    }()

    private static let roundedProducts: [ConformanceCase] = {
        let fixedPoint = (try? FixedPointMultiplier(0.0021)).map {
            Requantization(.fixedPoint([$0]), zeroPoint: 5, range: -100...127, elementType: .int8)
        }
        let rounded = Requantization(.float([0.0031]), zeroPoint: 131, range: 0...255, elementType: .uint8)
        let products: [(String, IntegerMatMul?, [Int], [Int], ElementType, ElementType)] = [
            (
                "fixed point", fixedPoint.map { IntegerMatMul(aZeroPoint: -7, bZeroPoint: 3, requantization: $0) },
                [2, 3, 17, 32], [2, 3, 32, 9], .int8, .int8
            ),
            (
                "float32", IntegerMatMul(aZeroPoint: 255, bZeroPoint: 128, requantization: rounded), [2, 9, 33],
                [2, 33, 20], .uint8, .uint8
            ),
            (
                "one matrix", IntegerMatMul(aZeroPoint: 0, bZeroPoint: -128, requantization: rounded), [2, 9, 33],
                [33, 21], .uint8, .int8
            ),
        ]
        let computed = products.flatMap { name, operation, a, b, left, right -> [ConformanceCase] in
            guard let operation else { return [] }
            return [ConformanceCase("IntegerMatMul/\(name)", operation, [bytes(a, left), bytes(b, right)])]
        }
        return computed + [
            ConformanceCase(
                "QLinearMatMul/two computed stacks", QLinearMatMul(),
                [
                    bytes([2, 3, 17, 19], .uint8), scale(), point(.uint8, 140), bytes([2, 3, 19, 12], .uint8), scale(),
                    point(.uint8, 117), .weights([], .constant(1.7)), point(.uint8, 90),
                ]),
            ConformanceCase(
                "QLinearMatMul/weights less 255", QLinearMatMul(),
                [
                    bytes([1, 5, 64], .int8), scale(), point(.int8, -128),
                    bytes([64, 30], .uint8, isConstant: true), scale([30]), point(.uint8, 255),
                    .weights([], .constant(2)), point(.int8, -128),
                ]),
        ]
    }()

    /// Convolutions of 8-bit integers whose sums are the result, or whose weights are computed.
    static let sumsOfConvolutions: [ConformanceCase] = {
        let cases: [(String, Conv, x: [Int], w: [Int], ElementType, Int, ElementType, Int)] = [
            ("3x3 less 255", Conv(pads: [1, 1, 1, 1]), [2, 7, 6, 5], [9, 7, 3, 3], .uint8, 255, .int8, -128),
            ("groups", Conv(group: 3, strides: [2, 1]), [1, 48, 9, 7], [12, 16, 3, 2], .int8, -128, .uint8, 0),
            ("1x1", Conv(), [2, 16, 5, 4], [20, 16, 1, 1], .uint8, 0, .uint8, 255),
            (
                "depthwise", Conv(group: 6, dilations: [2, 2], pads: [2, 2, 2, 2]), [2, 6, 7, 8], [12, 1, 3, 3], .int8,
                127,
                .int8, 127
            ),
        ]
        let sums = cases.flatMap { name, convolution, x, w, left, leftPoint, right, rightPoint -> [ConformanceCase] in
            [false, true].map { isConstant -> ConformanceCase in
                ConformanceCase(
                    isConstant ? "ConvInteger/\(name), weights" : "ConvInteger/\(name)", ConvInteger(convolution),
                    [
                        bytes(x, left), bytes(w, right, isConstant: isConstant),
                        point(left, leftPoint, isConstant: !isConstant),
                        point(right, rightPoint, isConstant: isConstant),
                    ])
            }
        }
        return sums + [
            ConformanceCase(
                "ConvInteger/zero points of channels", ConvInteger(Conv(group: 2, pads: [1, 1, 1, 1])),
                [
                    bytes([2, 8, 6, 5], .uint8), bytes([6, 4, 3, 3], .int8, isConstant: true), point(.uint8, 128),
                    bytes([6], .int8),
                ]),
            ConformanceCase(
                "QLinearConv/computed weights", QLinearConv(Conv(pads: [0, 1, 1, 0])),
                [
                    bytes([2, 5, 6, 7], .int8), scale(), point(.int8, 9), bytes([10, 5, 2, 2], .int8), scale([10]),
                    bytes([10], .int8, isConstant: true), .weights([], .constant(3)), point(.uint8, 100),
                    bytes([10], .int32, .whole(-9000, 9000), isConstant: true),
                ]),
        ]
    }()
}
