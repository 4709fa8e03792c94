import Graphs
import Tensors

extension ConformanceCases {
    /// Operators on quantized numbers.
    package static let quantizations: [ConformanceCase] =
        (conversions + ranges + products + integers + unusualConvolutions + elementwiseIntegers + pairsOfIntegers
        + rowsOfIntegers + computedFactors + sumsOfConvolutions).map { original in
            var exact = original
            exact.tolerance = .exact
            return exact
        }

    private static func scale(_ shape: [Int] = []) -> ConformanceCase.Input { .weights(shape, .uniform(0.01, 0.1)) }

    private static func zeroPoint(_ type: ElementType, _ shape: [Int] = []) -> ConformanceCase.Input {
        ConformanceCase.Input(shape: shape, elementType: type, content: .whole(0, 100), isConstant: true)
    }

    private static func quantized(
        _ shape: [Int], _ type: ElementType = .uint8, isConstant: Bool = false
    ) -> ConformanceCase.Input {
        ConformanceCase.Input(
            shape: shape, elementType: type, content: type == .int8 ? .whole(-128, 127) : .whole(0, 255),
            isConstant: isConstant)
    }

    private static let wide = ConformanceCase.Input.activation([2, 6, 3], .float32, .uniform(-9, 9))

    private static let planes = ConformanceCase.Input.activation([2, 3, 19, 31], .float32, .uniform(-9, 9))

    private static let conversions: [ConformanceCase] = [
        ConformanceCase("QuantizeLinear/default", QuantizeLinear(), [wide, scale()]),
        ConformanceCase("QuantizeLinear/int8", QuantizeLinear(), [wide, scale(), zeroPoint(.int8)]),
        ConformanceCase(
            "QuantizeLinear/int16 by channel", QuantizeLinear(), [wide, scale([6]), zeroPoint(.int16, [6])]),
        ConformanceCase(
            "QuantizeLinear/last axis", QuantizeLinear(grid: QuantizationGrid(axis: -1)),
            [wide, scale([3]), zeroPoint(.uint8, [3])]),
        ConformanceCase(
            "QuantizeLinear/blocks", QuantizeLinear(grid: QuantizationGrid(axis: 1, blockSize: 4), elementType: .int8),
            [wide, scale([2, 2, 3])]),
        ConformanceCase("QuantizeLinear/planes", QuantizeLinear(), [planes, scale(), zeroPoint(.uint8)]),
        ConformanceCase(
            "AffineQuantize/planes", AffineQuantize(scale: 0.07, zeroPoint: -3, elementType: .int8), [planes]),
        ConformanceCase(
            "DequantizeLinear/one scale", DequantizeLinear(), [quantized([2, 6, 3]), scale(), zeroPoint(.uint8)]),
        ConformanceCase(
            "DequantizeLinear/by channel", DequantizeLinear(),
            [quantized([2, 6, 3], .int8), scale([6]), zeroPoint(.int8, [6])]),
        ConformanceCase(
            "DequantizeLinear/blocks", DequantizeLinear(grid: QuantizationGrid(axis: 2, blockSize: 2)),
            [quantized([2, 6, 3]), scale([2, 6, 2])]),
        ConformanceCase("DynamicQuantizeLinear", DynamicQuantizeLinear(), [wide]),
        ConformanceCase("DynamicQuantizeLinear/planes", DynamicQuantizeLinear(), [planes]),
        ConformanceCase(
            "DynamicQuantizeLinear/zeros", DynamicQuantizeLinear(), [.activation([3, 7], .float32, .whole(0, 0))]),
        ConformanceCase("Cast/uint8 to float32", Cast(to: .float32), [quantized([2, 3, 19, 31])]),
        ConformanceCase("Cast/int8 to float32", Cast(to: .float32), [quantized([2, 77], .int8)]),
        ConformanceCase(
            "Cast/int32 to float32", Cast(to: .float32),
            [.activation([2, 20_001], .int32, .whole(-2_000_000_000, 2_000_000_000))]),
    ]

    /// Ranges of one sign, of one number, of numbers near the ends of float32's range, and of what is no number.
    private static let ranges: [ConformanceCase] =
        [
            ("positive", .uniform(0.5, 7)), ("negative", .uniform(-0.02, -0.01)), ("tiny", .uniform(-1e-32, 3e-32)),
            ("huge", .uniform(-1e38, 2e38)), ("infinite range", .uniform(-3.4e38, 3.4e38)),
            ("halves", .whole(-100, 155)),
        ].map { name, content in
            ConformanceCase(
                "DynamicQuantizeLinear/\(name)", DynamicQuantizeLinear(), [.activation([3, 701], .float32, content)])
        }
        + [
            ("one number", [-3.25]), ("infinity", [1, -2, .infinity, 4, 5]),
            ("no number", [1, .nan, -2, 7, 3.5, .nan]),
        ].map { name, numbers in
            ConformanceCase(
                "DynamicQuantizeLinear/\(name)", DynamicQuantizeLinear(),
                [.activation([numbers.count], .float32, .values(numbers))])
        }

    private static let products: [ConformanceCase] = [
        ConformanceCase(
            "MatMulInteger/one zero point", MatMulInteger(),
            [quantized([3, 8]), quantized([8, 5]), zeroPoint(.uint8), zeroPoint(.uint8)]),
        ConformanceCase(
            "MatMulInteger/by row and column", MatMulInteger(),
            [quantized([2, 3, 8]), quantized([8, 5], .int8), zeroPoint(.uint8, [3]), zeroPoint(.int8, [5])]),
        ConformanceCase(
            "MatMulInteger/weights of 8 bits", MatMulInteger(),
            [
                quantized([2, 9, 70]), quantized([70, 75], .int8, isConstant: true),
                ConformanceCase.Input(shape: [], elementType: .uint8, content: .whole(0, 255), isConstant: false),
                ConformanceCase.Input(shape: [75], elementType: .int8, content: .whole(0, 0), isConstant: true),
            ]),
        ConformanceCase(
            "MatMulInteger/weights with a zero point", MatMulInteger(),
            [quantized([13, 65], .int8), quantized([65, 20], isConstant: true), zeroPoint(.int8), zeroPoint(.uint8)]),
        ConformanceCase(
            "MatMulInteger/no zero points", MatMulInteger(),
            [quantized([1, 5, 33], .int8), quantized([33, 130], .int8, isConstant: true)]),
        ConformanceCase(
            "ConvInteger/weights", ConvInteger(Conv(strides: [2, 1], pads: [1, 0, 1, 1])),
            [
                quantized([2, 3, 17, 16]), quantized([20, 3, 3, 2], .int8, isConstant: true),
                ConformanceCase.Input(shape: [], elementType: .uint8, content: .whole(0, 255), isConstant: false),
            ]),
        ConformanceCase(
            "QLinearMatMul/by column", QLinearMatMul(),
            [
                quantized([3, 8]), scale(), zeroPoint(.uint8), quantized([8, 5], .int8, isConstant: true), scale([5]),
                zeroPoint(.int8, [5]), scale(), zeroPoint(.uint8),
            ]),
        ConformanceCase(
            "ConvInteger", ConvInteger(Conv(strides: [2, 1], pads: [1, 0, 1, 1])),
            [quantized([1, 3, 7, 6]), quantized([4, 3, 3, 2], .int8), zeroPoint(.uint8), zeroPoint(.int8, [4])]),
        ConformanceCase(
            "QLinearConv/groups, by channel", QLinearConv(Conv(group: 2, pads: [1, 1, 1, 1])),
            [
                quantized([2, 4, 6, 5]), scale(), zeroPoint(.uint8), quantized([6, 2, 3, 3], .int8, isConstant: true),
                scale([6]), zeroPoint(.int8, [6]), scale(), zeroPoint(.uint8),
                ConformanceCase.Input(shape: [6], elementType: .int32, content: .whole(-900, 900), isConstant: true),
            ]),
    ]

    /// Operators that rewrites make of quantized networks: sums of products, requantized in fixed point or rounded as
    /// in ONNX.
    private static let integers: [ConformanceCase] = {
        let requantizations = [
            Requantization(
                .fixedPoint((1...12).compactMap { try? FixedPointMultiplier(0.0007 * Double($0)) }), zeroPoint: 5,
                range: -100...127, elementType: .int8),
            Requantization(.float([0.0031]), zeroPoint: -3, range: -128...127, elementType: .int8),
        ]
        let convolutions: [(String, Conv, x: [Int], w: [Int])] = [
            ("1x1", Conv(), [2, 20, 5, 4], [12, 20, 1, 1]),
            ("3x3 padded", Conv(pads: [1, 1, 1, 1]), [1, 3, 7, 6], [12, 3, 3, 3]),
            ("3x3 stride 2", Conv(strides: [2, 2], pads: [0, 0, 1, 1]), [2, 8, 9, 8], [12, 8, 3, 3]),
            ("1x7 padded", Conv(pads: [0, 3, 0, 3]), [1, 20, 6, 9], [12, 20, 1, 7]),
            ("3x3 dilated", Conv(dilations: [2, 3], pads: [2, 3, 1, 2]), [2, 5, 9, 11], [12, 5, 3, 3]),
            ("3x3 of long rows", Conv(pads: [1, 1, 1, 1]), [1, 64, 40, 40], [12, 64, 3, 3]),
            ("depthwise 3x3", Conv(group: 12, pads: [1, 1, 1, 1]), [2, 12, 7, 6], [12, 1, 3, 3]),
            ("depthwise 3x3 stride 2", Conv(group: 12, strides: [2, 2]), [1, 12, 9, 7], [12, 1, 3, 3]),
        ]
        let pool = SpatialWindow(kernel: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1])
        return convolutions.flatMap { name, convolution, x, w in
            requantizations.enumerated().map { index, requantization in
                ConformanceCase(
                    "IntegerConv/\(name), \(index == 0 ? "fixed point by channel" : "one factor of ONNX")",
                    IntegerConv(convolution, inputZeroPoint: 7, weightZeroPoint: 0, requantization: requantization),
                    [
                        quantized(x, .int8), quantized(w, .int8, isConstant: true),
                        ConformanceCase.Input(
                            shape: [12], elementType: .int32, content: .whole(-900, 900), isConstant: true),
                    ])
            }
        } + [
            ConformanceCase(
                "IntegerConv/3x3 of many channels",
                IntegerConv(
                    Conv(pads: [1, 1, 1, 1]), inputZeroPoint: 7, weightZeroPoint: 0,
                    requantization: Requantization(
                        .float([0.0007]), zeroPoint: -3, range: -128...127, elementType: .int8)),
                [quantized([1, 64, 16, 15], .int8), quantized([64, 64, 3, 3], .int8, isConstant: true)]),
            ConformanceCase(
                "IntegerAveragePool", IntegerAveragePool(window: pool, range: -120...100),
                [quantized([2, 19, 7, 6], .int8)]),
            ConformanceCase(
                "IntegerMean",
                IntegerMean(
                    axes: ReductionAxes(axes: [2, 3]), inputZeroPoint: 7,
                    requantization: Requantization(
                        .fixedPoint([0.021].compactMap { try? FixedPointMultiplier($0) }), zeroPoint: 5,
                        range: -128...127, elementType: .int8)),
                [quantized([2, 300, 5, 6], .int8)]),
            ConformanceCase(
                "IntegerMean/float32",
                IntegerMean(
                    axes: ReductionAxes(axes: [2, 3]), inputZeroPoint: 7,
                    requantization: Requantization(
                        .float([0.125]), zeroPoint: 5, range: -100...90, elementType: .int8)),
                [quantized([2, 300, 2, 4], .int8)]),
            ConformanceCase(
                "IntegerResize/int8", IntegerResize(size: [9, 4], alignsCorners: false, hasHalfPixels: true),
                [quantized([2, 19, 5, 6], .int8)]),
            ConformanceCase(
                "IntegerResize/uint8", IntegerResize(size: [3, 11], alignsCorners: true, hasHalfPixels: false),
                [quantized([2, 19, 5, 6])]),
            ConformanceCase(
                "MaxPool/uint8", MaxPool(kernel: pool.kernel, strides: pool.strides, pads: pool.pads),
                [quantized([1, 19, 7, 6])]),
        ]
    }()

    /// Sums of quantized numbers, and functions of them given as tables.
    private static let elementwiseIntegers: [ConformanceCase] = {
        let shape = [2, 19, 7, 6]
        let types: [(type: ElementType, range: ClosedRange<Int32>)] = [(.int8, -100...127), (.uint8, 0...200)]
        return types.flatMap { type, range in
            let (a, b) = (Quantization(scale: 0.05, zeroPoint: 3), Quantization(scale: 0.02, zeroPoint: 7))
            let y = Quantization(scale: 0.06, zeroPoint: 5)
            let operations: [(String, IntegerAdd?)] = [
                ("fixed point", try? IntegerAdd(a: a, b: b, y: y, range: range, elementType: type)),
                ("difference", try? IntegerAdd(isDifference: true, a: a, b: b, y: y, range: range, elementType: type)),
                ("float32", try? IntegerAdd(inFloat32: a, b, y: y, range: range, elementType: type)),
            ]
            let (value, number) = (quantized(shape, type), quantized([], type, isConstant: true))
            return operations.flatMap { name, operation -> [ConformanceCase] in
                guard let operation else { return [] }
                return [
                    ConformanceCase("IntegerAdd/\(type), \(name)", operation, [value, value]),
                    ConformanceCase("IntegerAdd/\(type), \(name), one number", operation, [value, number]),
                ]
            } + [
                ConformanceCase(
                    "Lookup/\(type)", Lookup(), [value, quantized([256], type, isConstant: true)])
            ]
        }
    }()

    /// Convolutions of groups, of bytes that fill no words, and of weights whose zero points are unusual.
    private static let unusualConvolutions: [ConformanceCase] = {
        let fixed = (1...24).compactMap { try? FixedPointMultiplier(0.0009 * Double($0)) }
        func requantization(_ count: Int, roundsOnce: Bool = false) -> Requantization {
            Requantization(
                .fixedPoint(Array(fixed.prefix(count))), zeroPoint: 120, range: 0...255, elementType: .uint8,
                roundsOnce: roundsOnce)
        }
        let cases: [(String, Conv, x: [Int], w: [Int], ElementType, Int32)] = [
            ("groups of whole words", Conv(group: 3, pads: [1, 1, 1, 1]), [2, 48, 5, 6], [12, 16, 3, 3], .int8, 0),
            ("groups of parts of words", Conv(group: 2, strides: [1, 2]), [1, 10, 6, 7], [6, 5, 3, 2], .int8, 0),
            ("weights less 128", Conv(pads: [2, 0, 1, 1]), [2, 16, 6, 5], [20, 16, 3, 3], .uint8, 128),
            ("weights less 3", Conv(pads: [1, 1, 1, 1]), [2, 7, 6, 5], [9, 7, 3, 3], .uint8, 3),
            ("weights less −20", Conv(), [1, 33, 9, 4], [24, 33, 1, 1], .int8, -20),
            ("two filters per channel", Conv(group: 6, pads: [1, 1, 1, 1]), [2, 6, 7, 5], [12, 1, 3, 3], .int8, 4),
            ("depthwise, dilated", Conv(group: 8, dilations: [2, 2]), [1, 8, 9, 9], [8, 1, 3, 3], .uint8, 77),
        ]
        return cases.map { name, convolution, x, w, type, point in
            ConformanceCase(
                "IntegerConv/\(name)",
                IntegerConv(
                    convolution, inputZeroPoint: 130, weightZeroPoint: point,
                    requantization: requantization(w[0], roundsOnce: w[2] == 1)),
                [
                    quantized(x), quantized(w, type, isConstant: true),
                    ConformanceCase.Input(
                        shape: [w[0]], elementType: .int32, content: .whole(-9000, 9000), isConstant: true),
                ])
        }
    }()

    /// Functions of two integers that broadcast.
    private static let pairsOfIntegers: [ConformanceCase] = {
        let (a, b) = (Quantization(scale: 0.05, zeroPoint: 3), Quantization(scale: 0.02, zeroPoint: -7))
        let y = Quantization(scale: 0.03, zeroPoint: 5)
        let operations: [(String, (any Operator)?)] = [
            ("IntegerMul", try? IntegerMul(a: a, b: b, y: y, range: -100...120, elementType: .int8)),
            ("IntegerPRelu", try? IntegerPRelu(x: a, slope: b, y: y, elementType: .int8)),
            ("IntegerAdd", try? IntegerAdd(a: a, b: b, y: y, range: -128...127, elementType: .int8)),
        ]
        return operations.flatMap { name, operation -> [ConformanceCase] in
            guard let operation else { return [] }
            return [[2, 12, 5, 6], [1, 12, 1, 1], [5, 1]].map { shape in
                ConformanceCase(
                    "\(name)/int8 with \(shape)", operation,
                    [quantized([2, 12, 5, 6], .int8), quantized(shape, .int8, isConstant: shape.count == 2)])
            }
        }
    }()

    private static let rowsOfIntegers: [ConformanceCase] = [
        ConformanceCase(
            "IntegerSoftmax/int8", IntegerSoftmax(factor: 0.05, elementType: .int8), [quantized([3, 2, 10], .int8)]),
        ConformanceCase(
            "IntegerSoftmax/uint8", IntegerSoftmax(factor: 0.11, elementType: .uint8), [quantized([5, 150])]),
        ConformanceCase(
            "IntegerSoftmax/equal scores", IntegerSoftmax(factor: 0.1, elementType: .int8),
            [.activation([2, 300], .int8, .constant(9))]),
        ConformanceCase(
            "IntegerL2Normalization/int8", IntegerL2Normalization(zeroPoint: 4), [quantized([7, 65], .int8)]),
        ConformanceCase(
            "IntegerL2Normalization/uint8", IntegerL2Normalization(zeroPoint: 120), [quantized([2, 3, 9])]),
        ConformanceCase(
            "Pad/int8", Pad(pads: [0, 0, 1, 2, 0, 0, 0, 1], value: -7), [quantized([2, 5, 4, 3], .int8)]),
    ]
}
