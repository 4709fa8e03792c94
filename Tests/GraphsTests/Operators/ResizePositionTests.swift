import Graphs
import Tensors
import Testing

/// Nearest elements where positions are exact fractions, which onnxruntime and ONNX's evaluator compute in floating
/// point: each of them is off by one in some of these extents, and none where both agree.
@Suite("Resize to the nearest element")
struct ResizePositionTests {
    private static let extents = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 25, 32, 50, 99, 100]
    private static let modes: [Interpolation.Coordinates] = [
        .halfPixel, .halfPixelSymmetric, .pytorchHalfPixel, .tensorFlowHalfPixel, .alignCorners, .asymmetric,
    ]

    /// The position as a fraction of whole numbers, for a scale of output ÷ input.
    private func position(
        _ i: Int, _ input: Int, _ output: Int, _ mode: Interpolation.Coordinates
    ) -> (numerator: Int, denominator: Int) {
        switch mode {
        case .halfPixel, .halfPixelSymmetric: return ((2 * i + 1) * input - output, 2 * output)
        case .pytorchHalfPixel: return output > 1 ? ((2 * i + 1) * input - output, 2 * output) : (0, 1)
        case .tensorFlowHalfPixel: return ((2 * i + 1) * input, 2 * output)
        case .alignCorners: return output > 1 ? (i * (input - 1), output - 1) : (0, 1)
        default: return (i * input, output)
        }
    }

    private func nearest(
        _ numerator: Int, _ denominator: Int, _ rule: Interpolation.Nearest, _ input: Int, _ output: Int
    ) -> Int {
        func floor(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }
        let index =
            switch rule {
            case .floor: floor(numerator, denominator)
            case .ceil: -floor(-numerator, denominator)
            case .ceilWhereSmaller:
                output < input ? -floor(-numerator, denominator) : floor(numerator, denominator)
            case .roundPreferFloor: -floor(denominator - 2 * numerator, 2 * denominator)
            case .roundPreferCeil: floor(2 * numerator + denominator, 2 * denominator)
            }
        return min(max(index, 0), input - 1)
    }

    @Test("takes the element that the exact fraction names", arguments: modes, Interpolation.Nearest.allCases)
    func exact(mode: Interpolation.Coordinates, rule: Interpolation.Nearest) throws {
        let resize = Resize(interpolation: Interpolation(coordinates: mode, nearest: rule))
        for input in Self.extents {
            let x = try Tensor((0..<input).map { Float($0) }, shape: [input])
            for output in Self.extents where output != input {
                let expected = (0..<output).map { index in
                    let (numerator, denominator) = position(index, input, output, mode)
                    return Float(nearest(numerator, denominator, rule, input, output))
                }
                let sizes = try Tensor([Int64(output)], shape: [1])
                let scales = try Tensor([Float(output) / Float(input)], shape: [1])
                for operands in [[x, nil, nil, sizes], [x, nil, scales]] as [[Tensor?]] {
                    let types = try resize.outputTypes(for: operands.map { $0.map { TensorType($0) } })
                    // 7 ÷ 99 in float32 times 99 is less than 7.
                    guard types[0].shape == [output] else { continue }
                    let y = try resize.evaluate(operands, outputTypes: types)[0].elements(as: Float.self)
                    #expect(y == expected, "\(input) → \(output)")
                }
            }
        }
    }

    @Test("has as many elements as onnxruntime's product in float32 of an extent and a scale")
    func extents() throws {
        for (input, scale, output) in [(3, Float(5) / 3, 5), (100, 0.29, 29), (99, Float(7) / 99, 6), (10, 0.55, 5)] {
            let types = try Resize().outputTypes(for: [
                TensorType(.float32, [input]), nil, TensorType(try Tensor([scale], shape: [1])),
            ])
            #expect(types[0].shape == [output], "\(input) · \(scale)")
        }
    }
}
