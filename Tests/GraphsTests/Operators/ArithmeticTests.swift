import Graphs
import Tensors
import Testing

struct ArithmeticTests {
    @Test func broadcasting() throws {
        let y = try evaluate("Add", [:], [counting([2, 3]), floats([10, 20], [2, 1])])
        #expect(y[0].floats == [10, 11, 12, 23, 24, 25])
        #expect(refusal("Add", [:], [[2, 3], [2]]) == "shapes [2, 3], [2] do not broadcast")
    }

    @Test func secondOperandsElsewhere() throws {
        func sum(_ alignment: OperandAlignment, _ a: Tensor, _ b: Tensor) throws -> [Float] {
            var add = Add()
            add.alignment = alignment
            let types = try add.outputTypes(for: [TensorType(a), TensorType(b)])
            return try add.evaluate([a, b], outputTypes: types)[0].floats
        }
        let (a, b) = (try counting([1, 2, 2]), try floats([10, 20], [2]))
        #expect(try sum(.axis(1), a, b) == [10, 11, 22, 23])
        #expect(try sum(.axis(-2), a, b) == [10, 11, 22, 23])
        #expect(try sum(.equalShapes, b, b) == [20, 40])
        for (alignment, second, message) in [
            (OperandAlignment.equalShapes, b, "\"broadcast\" is 0"), (.axis(9), b, "axis 9"), (.axis(2), a, "exceeds"),
        ] {
            let error = #expect(throws: OperatorError.self) { try sum(alignment, a, second) }
            #expect(error?.description.contains(message) == true)
        }
    }

    @Test func integersWrapAroundAndNeverTrap() throws {
        let extremes = try integers([.max, .min, 7, -7])
        #expect(try evaluate("Add", [:], [extremes, integers([1, -1, 0, 0])])[0].integers == [.min, .max, 7, -7])
        #expect(try evaluate("Div", [:], [extremes, integers([0, -1, 2, 2])])[0].integers == [.max, .min, 3, -3])
        #expect(try evaluate("Neg", [:], [extremes])[0].integers == [-.max, .min, -7, 7])
        #expect(try evaluate("Abs", [:], [extremes])[0].integers == [.max, .min, 7, 7])
        #expect(
            try evaluate("Pow", [:], [integers([3, 2, -1, 0]), integers([4, -1, 3, 0])])[0].integers == [81, 0, -1, 1])
    }

    @Test func largeIntegersAreExact() throws {
        let large = try integers([9_007_199_254_740_993])
        #expect(try evaluate("Add", [:], [large, integers([2])])[0].integers == [9_007_199_254_740_995])
        #expect(try evaluate("MatMul", [:], [large, integers([3])])[0].integers == [27_021_597_764_222_979])
    }

    @Test func gemm() throws {
        let (a, b) = (try floats([1, 2, 3, 4, 5, 6], [2, 3]), try floats([1, 0, 1, 0, 1, 1], [2, 3]))
        let y = try evaluate(
            "Gemm", ["transB": .int(1), "alpha": .float(2), "beta": .float(0.5)], [a, b, floats([2, 4], [2])])
        #expect(y[0].floats == [9, 12, 21, 24])
        #expect(refusal("Gemm", [:], [[2, 3], [2, 3]]) == "a [2, 3] times b [2, 3] is not defined")
        #expect(refusal("Gemm", [:], [[2, 3], [3, 2], [3]]) == "c [3] does not broadcast to [2, 2]")
        #expect(refusal("Gemm", [:], [[2, 3, 1], [3, 2]]).contains("must be matrices"))
    }

    @Test(arguments: [
        ([3], [3], [Int]()), ([2, 3], [3], [2]), ([3], [3, 4], [4]), ([5, 1, 2, 3], [4, 3, 2], [5, 4, 2, 2]),
    ])
    func matMulShapes(a: [Int], b: [Int], y: [Int]) throws {
        #expect(try evaluate("MatMul", [:], [counting(a), counting(b)])[0].shape == y)
    }

    @Test func matMulOfStacks() throws {
        let y = try evaluate("MatMul", [:], [counting([2, 1, 2]), floats([1, 2], [2, 1])])
        #expect(y[0].floats == [2, 8])
        #expect(refusal("MatMul", [:], [[], [3]]).contains("at least one axis"))
        #expect(refusal("MatMul", [:], [[2, 3], [4, 2]]).contains("is not defined"))
    }

    @Test func clip() throws {
        let x = try floats([-2, 0, .nan, 2], [4])
        let attributes: [String: AttributeValue] = ["min": .float(-1), "max": .float(1)]
        let y = try evaluate("Clip", attributes, [x])[0].floats
        #expect(y[2].isNaN)
        #expect([y[0], y[1], y[3]] == [-1, 0, 1])
        let bounded = try evaluate("Clip", [:], [x, nil, floats([1.5], [])])[0].floats
        #expect([bounded[0], bounded[3]] == [-2, 1.5])
        let bounds = try Clip().bounds([TensorType(x), TensorType(floats([0], [])), TensorType(floats([6], []))])
        #expect(bounds?.low == 0 && bounds?.high == 6)
        #expect(Clip().bounds([TensorType(x), TensorType(.float32, [])]) == nil)
    }

    @Test func comparisonsAndLogic() throws {
        let (a, b) = (try integers([1, 2, 3]), try integers([3, 2, 1]))
        #expect(try evaluate("Greater", [:], [a, b])[0].elements(as: Bool.self) == [false, false, true])
        #expect(try evaluate("LessOrEqual", [:], [a, b])[0].elements(as: Bool.self) == [true, true, false])
        #expect(
            try evaluate("Cast", ["to": .elementType(.uint8)], [integers([-1, 256, 7])])[0].integers == [255, 0, 7])
        // Source: docs/docsgen/source/technical/int4.md of https://github.com/onnx/onnx
        let halves = try Tensor([1.6, -1.6, 2.5, 7.5, 0.4, -9] as [Float], shape: [6])
        #expect(
            try evaluate("Cast", ["to": .elementType(.int4)], [halves])[0].elements(as: Int64.self)
                == [2, -2, 2, -8, 0, 7])
        #expect(refusal("And", [:], [[1], [1]]) == "input 0 is float32; bool is expected")
        #expect(refusal("Cast", ["to": .int(1)]) == "attribute \"to\" is an integer, not an element type")
    }
}
