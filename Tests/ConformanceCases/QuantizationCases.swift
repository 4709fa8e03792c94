import Graphs
import Tensors

extension ConformanceCases {
    /// Quantized numbers.
    package static let quantizations: [ConformanceCase] = (conversions + products).map { original in
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
        ConformanceCase(
            "DequantizeLinear/one scale", DequantizeLinear(), [quantized([2, 6, 3]), scale(), zeroPoint(.uint8)]),
        ConformanceCase(
            "DequantizeLinear/by channel", DequantizeLinear(),
            [quantized([2, 6, 3], .int8), scale([6]), zeroPoint(.int8, [6])]),
        ConformanceCase(
            "DequantizeLinear/blocks", DequantizeLinear(grid: QuantizationGrid(axis: 2, blockSize: 2)),
            [quantized([2, 6, 3]), scale([2, 6, 2])]),
        ConformanceCase("DynamicQuantizeLinear", DynamicQuantizeLinear(), [wide]),
    ]

    private static let products: [ConformanceCase] = [
        ConformanceCase(
            "MatMulInteger/one zero point", MatMulInteger(),
            [quantized([3, 8]), quantized([8, 5]), zeroPoint(.uint8), zeroPoint(.uint8)]),
        ConformanceCase(
            "MatMulInteger/by row and column", MatMulInteger(),
            [quantized([2, 3, 8]), quantized([8, 5], .int8), zeroPoint(.uint8, [3]), zeroPoint(.int8, [5])]),
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
}
