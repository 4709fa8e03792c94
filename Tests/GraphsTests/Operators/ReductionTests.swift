import Graphs
import Tensors
import Testing

@Suite("Reductions")
struct ReductionTests {
    /// What ONNX's evaluator gives for 3, −2 and ½ where no axis is reduced.
    private static let expected: [(name: String, values: [Float])] = [
        ("ReduceL1", [3, 2, 0.5]), ("ReduceL2", [3, 2, 0.5]), ("ReduceLogSum", [1.0986123, .nan, -0.6931472]),
        ("ReduceLogSumExp", [3, -2, 0.5]), ("ReduceMax", [3, -2, 0.5]), ("ReduceMean", [3, -2, 0.5]),
        ("ReduceMin", [3, -2, 0.5]), ("ReduceProd", [3, -2, 0.5]), ("ReduceSum", [3, -2, 0.5]),
        ("ReduceSumSquare", [9, 4, 0.25]),
    ]

    @Test("noop_with_empty_axes leaves the function of each element", arguments: expected, [false, true])
    func withoutAxes(row: (name: String, values: [Float]), hasInput: Bool) throws {
        let x = try floats([3, -2, 0.5], [3, 1])
        let axes = hasInput ? try integers([]) : nil
        let y = try evaluate(row.name, ["noop_with_empty_axes": .int(1), "keepdims": .int(0)], [x, axes])[0]
        #expect(y.shape == [3, 1])
        for (found, expected) in zip(y.floats, row.values) {
            #expect(found.isNaN && expected.isNaN || abs(found - expected) <= 1e-6, "\(found), not \(expected)")
        }
    }

    @Test("of each element, integers and extremes are exact")
    func elements() throws {
        let noOperation: [String: AttributeValue] = ["noop_with_empty_axes": .int(1)]
        let x = try Tensor([Int32(-7), 7, .min, 1 << 20], shape: [4])
        #expect(try evaluate("ReduceL1", noOperation, [x])[0].elements(as: Int32.self) == [7, 7, .min, 1 << 20])
        #expect(try evaluate("ReduceL2", noOperation, [x])[0].elements(as: Int32.self) == [7, 7, .min, 1 << 20])
        #expect(try evaluate("ReduceSumSquare", noOperation, [x])[0].elements(as: Int32.self) == [49, 49, 0, 0])
        #expect(try evaluate("ReduceSum", noOperation, [x])[0].elements(as: Int32.self) == [-7, 7, .min, 1 << 20])
        let wide = try Tensor([1e200, -1e-200, -.infinity], shape: [3])
        #expect(
            try evaluate("ReduceL2", noOperation, [wide])[0].elements(as: Double.self) == [1e200, 1e-200, .infinity])
    }

    @Test("without noop_with_empty_axes an empty list of axes means all")
    func allAxes() throws {
        let x = try floats([3, -2, 0.5], [3, 1])
        #expect(try evaluate("ReduceSumSquare", [:], [x, try integers([])])[0].floats == [13.25])
    }
}
