import CPUKernels
import Foundation
import Graphs
import Testing

@Suite("Kernels made of exponentials, against float64")
struct ExponentialKernelTests {
    /// A function, its value in float64, the tested arguments, and the allowed error in units in the last place, or in
    /// absolute terms where that is more.
    struct Function: CustomTestStringConvertible, Sendable {
        let name: String
        let kind: apus_unary_kind
        let range: ClosedRange<Float>
        let units: Double
        var absolute = 0.0
        let value: @Sendable (Double) -> Double

        var testDescription: String { name }
    }

    static let functions = [
        Function(name: "exp", kind: APUS_UNARY_EXP, range: -104...88.7, units: 2) { exp($0) },
        Function(name: "sigmoid", kind: APUS_UNARY_SIGMOID, range: -87...100, units: 4) { 1 / (1 + exp(-$0)) },
        Function(name: "tanh", kind: APUS_UNARY_TANH, range: -20...20, units: 4) { tanh($0) },
        Function(name: "elu", kind: APUS_UNARY_ELU, range: -100...10, units: 4) { $0 < 0 ? expm1($0) : $0 },
        Function(name: "gelu", kind: APUS_UNARY_GELU, range: -1...20, units: 5) {
            $0 / 2 * erfc(-$0 / 2.0.squareRoot())
        },
        Function(name: "gelu of negative numbers", kind: APUS_UNARY_GELU, range: -12...0, units: 5, absolute: 1e-6) {
            $0 / 2 * erfc(-$0 / 2.0.squareRoot())
        },
        Function(name: "gelu by tanh", kind: APUS_UNARY_GELU_TANH, range: -2...20, units: 12) {
            $0 / 2 * (1 + tanh((2 / Double.pi).squareRoot() * ($0 + 0.044715 * $0 * $0 * $0)))
        },
        Function(name: "swish", kind: APUS_UNARY_SWISH, range: -80...80, units: 5) { $0 / (1 + exp(-$0)) },
        Function(name: "erf", kind: APUS_UNARY_ERF, range: -6...6, units: 4) { erf($0) },
        Function(name: "sqrt", kind: APUS_UNARY_SQRT, range: 0...1e6, units: 0.5) { $0.squareRoot() },
    ]

    private func apply(_ kind: apus_unary_kind, _ input: [Float], stride: Int = 1) -> [Float] {
        var loop = apus_loop()
        loop.rank = 1
        loop.extents.0 = (input.count + stride - 1) / stride
        loop.a_strides.0 = stride
        loop.output_strides.0 = stride
        var output = input
        apus_unary_rows(kind, 1, 0, &loop, input, 0, &output, 0, 0, 1)
        return output
    }

    @Test("Errors are a few units in the last place", arguments: functions)
    func isAccurate(function: Function) {
        var generator = SplitMix64(seed: 5)
        // Half of the arguments small, where a difference from 1 would lose digits.
        let arguments = (0..<40_000).map { index in
            let x = Float.random(in: function.range, using: &generator)
            return index % 2 == 0 ? x : x * Float.random(in: 0...0.01, using: &generator)
        }
        for (x, found) in zip(arguments, apply(function.kind, arguments)) {
            let expected = function.value(Double(x))
            let error = (Double(found) - expected).magnitude
            let allowed = max(function.units * Double(Float(expected).ulp), function.absolute)
            #expect(error <= allowed, "\(function.name)(\(x)) = \(found), not \(expected)")
        }
    }

    @Test("A result has the same bits in any place of a row, adjacent or not", arguments: functions)
    func keepsBits(function: Function) {
        var generator = SplitMix64(seed: 6)
        let arguments = (0..<67).map { _ in Float.random(in: function.range, using: &generator) }
        let expected = apply(function.kind, arguments)
        for (index, x) in arguments.enumerated() { #expect(apply(function.kind, [x]) == [expected[index]]) }
        let strided = apply(function.kind, arguments, stride: 2)
        for index in arguments.indices {
            #expect(strided[index] == (index % 2 == 0 ? expected[index] : arguments[index]))
        }
    }

    @Test("Infinities, zeros and NaN")
    func takesSpecialValues() {
        let values: [Float] = [.infinity, -.infinity, 0, -0.0, 1000, -1000]
        #expect(apply(APUS_UNARY_EXP, values) == [.infinity, 0, 1, 1, .infinity, 0])
        #expect(apply(APUS_UNARY_SIGMOID, values) == [1, 0, 0.5, 0.5, 1, 0])
        #expect(apply(APUS_UNARY_TANH, values) == [1, -1, 0, -0.0, 1, -1])
        #expect(apply(APUS_UNARY_ELU, values) == [.infinity, -1, 0, -0.0, 1000, -1])
        #expect(apply(APUS_UNARY_GELU, values) == [.infinity, 0, 0, 0, 1000, 0])
        #expect(apply(APUS_UNARY_GELU_TANH, values)[4...] == [1000, 0])
        #expect(apply(APUS_UNARY_ERF, values) == [1, -1, 0, -0.0, 1, -1])
        for function in Self.functions { #expect(apply(function.kind, [.nan])[0].isNaN, "\(function.name)") }
    }

    @Test("Softmax of rows of every length, adjacent or not")
    func normalizesRows() {
        var generator = SplitMix64(seed: 7)
        for count in Array(1...40) + [1000, 1001] {
            for stride in [1, 3] {
                let input = (0..<count * stride).map { _ in Float.random(in: -30...30, using: &generator) }
                var output = input
                apus_softmax(input, stride, count, &output, stride)
                let row = (0..<count).map { Double(input[$0 * stride]) }
                let maximum = row.max() ?? 0
                let sum = row.reduce(0) { $0 + exp($1 - maximum) }
                for index in output.indices {
                    let isInRow = index % stride == 0
                    let expected = isInRow ? exp(row[index / stride] - maximum) / sum : Double(input[index])
                    // Differences up to 60 are rounded to 2e-6.
                    let tolerance = isInRow ? 3e-6 * expected : 0
                    #expect((Double(output[index]) - expected).magnitude <= tolerance, "\(count), \(stride): \(index)")
                }
            }
        }
    }
}
