import Graphs
import Tensors
import Testing

/// The rule for NaN: NaN in gives NaN out, but where ONNX defines a function by comparisons that NaN fails, as it does
/// ThresholdedRelu and Shrink.
@Suite("Functions of NaN, infinities and −0 as ONNX's reference evaluator has them, but for limits at −∞")
struct ExtremeValueTests {
    private static let arguments: [Float] = [.nan, .infinity, -.infinity, -0.0]

    /// What ONNX's ReferenceEvaluator gives for `arguments`, but that it leaves the sign of 0 to Celu, and that it
    /// gives NaN = −∞ · 0 at −∞ for Gelu, HardSwish, Mish and Swish, which have their limit −0 here.
    private static let expected: [(name: String, values: [Float])] = [
        ("Abs", [.nan, .infinity, .infinity, 0]),
        ("Acos", [.nan, .nan, .nan, 1.5707964]),
        ("Acosh", [.nan, .infinity, .nan, .nan]),
        ("Asin", [.nan, .nan, .nan, -0.0]),
        ("Asinh", [.nan, .infinity, -.infinity, -0.0]),
        ("Atan", [.nan, 1.5707964, -1.5707964, -0.0]),
        ("Atanh", [.nan, .nan, .nan, -0.0]),
        ("Ceil", [.nan, .infinity, -.infinity, -0.0]),
        ("Celu", [.nan, .infinity, -1, 0]),
        ("Cos", [.nan, .nan, .nan, 1]),
        ("Cosh", [.nan, .infinity, .infinity, 1]),
        ("Elu", [.nan, .infinity, -1, -0.0]),
        ("Erf", [.nan, 1, -1, -0.0]),
        ("Exp", [.nan, .infinity, 0, 1]),
        ("Floor", [.nan, .infinity, -.infinity, -0.0]),
        ("Gelu", [.nan, .infinity, -0.0, -0.0]),
        ("HardSigmoid", [.nan, 1, 0, 0.5]),
        ("HardSwish", [.nan, .infinity, -0.0, -0.0]),
        ("LeakyRelu", [.nan, .infinity, -.infinity, -0.0]),
        ("Log", [.nan, .infinity, .nan, -.infinity]),
        ("Mish", [.nan, .infinity, -0.0, -0.0]),
        ("Neg", [.nan, -.infinity, .infinity, 0]),
        ("Reciprocal", [.nan, 0, -0.0, -.infinity]),
        ("Relu", [.nan, .infinity, 0, 0]),
        ("Round", [.nan, .infinity, -.infinity, -0.0]),
        ("Selu", [.nan, .infinity, -1.7580993, -0.0]),
        ("Shrink", [0, .infinity, -.infinity, 0]),
        ("Sigmoid", [.nan, 1, 0, 0.5]),
        ("Sign", [.nan, 1, -1, 0]),
        ("Sin", [.nan, .nan, .nan, -0.0]),
        ("Sinh", [.nan, .infinity, -.infinity, -0.0]),
        ("Softplus", [.nan, .infinity, 0, 0.69314718]),
        ("Softsign", [.nan, .nan, .nan, -0.0]),
        ("Sqrt", [.nan, .infinity, .nan, -0.0]),
        ("Swish", [.nan, .infinity, -0.0, -0.0]),
        ("Tan", [.nan, .nan, .nan, -0.0]),
        ("Tanh", [.nan, 1, -1, -0.0]),
        ("ThresholdedRelu", [0, .infinity, 0, 0]),
    ]

    @Test("Every function of one element", arguments: expected)
    func agrees(name: String, values: [Float]) throws {
        let found = try evaluate(name, [:], [floats(Self.arguments, [4])])[0].floats
        for (index, (found, expected)) in zip(found, values).enumerated() {
            let isSame = found.isNaN && expected.isNaN || found == expected && found.sign == expected.sign
            #expect(
                isSame || (found - expected).magnitude <= 1e-6 && expected != 0,
                "\(name)(\(Self.arguments[index])) = \(found), not \(expected)")
        }
    }

    @Test("No function of one element is left out")
    func listsAll() {
        let names = Operators.all.filter { $0 is any ElementwiseUnary.Type }.map { $0.name }
        #expect(Self.expected.map(\.name) == names)
    }

    @Test("Gelu by tanh and Clip")
    func takesAttributes() throws {
        let gelu = try evaluate("Gelu", ["approximate": .string("tanh")], [floats(Self.arguments, [4])])
        #expect(gelu[0].floats.description == "[nan, inf, -0.0, -0.0]")
        let swish = try evaluate("Swish", ["alpha": .float(-1)], [floats(Self.arguments, [4])])
        #expect(swish[0].floats.description == "[nan, 0.0, -inf, -0.0]")
        let clip = try evaluate("Clip", [:], [floats(Self.arguments, [4]), floats([-1], []), floats([1], [])])
        #expect(clip[0].floats.description == "[nan, 1.0, -1.0, -0.0]")
    }

    @Test("Max and Min give NaN where either operand is", arguments: ["Max", "Min"])
    func extremum(name: String) throws {
        let y = try evaluate(name, [:], [floats([.nan, 1, .nan], [3]), floats([1, .nan, -.infinity], [3])])
        #expect(y[0].floats.allSatisfy { $0.isNaN })
    }

    @Test("A gate's function is the operator of its name", arguments: RecurrentActivation.Function.allCases)
    func gate(function: RecurrentActivation.Function) throws {
        var recurrence = Recurrence()
        recurrence.functions = [function]
        let one = try floats([1], [1, 1, 1])
        // A step of four sequences: y = f(1 · x + 0 · h).
        let y = try RNN(recurrence: recurrence).evaluate(
            [floats(Self.arguments, [1, 4, 1]), one, floats([0], [1, 1, 1])],
            outputTypes: [TensorType(.float32, [1, 1, 4, 1]), TensorType(.float32, [1, 4, 1])])[0].floats
        #expect(y[0].isNaN == (function != .thresholdedRelu))
        guard Operators.find(function.rawValue) is any ElementwiseUnary.Type else { return }
        let expected = try evaluate(function.rawValue, [:], [floats(Self.arguments, [4])])[0].floats
        #expect(zip(y, expected).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }, "\(y), not \(expected)")
    }
}
