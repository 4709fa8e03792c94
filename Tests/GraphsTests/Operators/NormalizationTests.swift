import Graphs
import Tensors
import Testing

struct NormalizationTests {
    @Test func softmaxOverOneAxisAndOverAllTrailingOnes() throws {
        let x = try floats([0, 0, 0, 0], [1, 2, 2])
        let flattening = Softmax(axis: 1, flattensTrailingAxes: true)
        #expect(try flattening.evaluate([x], outputTypes: [TensorType(x)])[0].floats == [0.25, 0.25, 0.25, 0.25])
        #expect(try evaluate("Softmax", ["axis": .int(1)], [x])[0].floats == [0.5, 0.5, 0.5, 0.5])
        let large = try evaluate("Softmax", [:], [floats([10000, 10001], [1, 2])])[0].floats
        #expect(abs(large[0] - 0.268_941_4) < 1e-6)
        #expect(refusal("Softmax", ["axis": .int(3)], [[1, 2]]) == "axis 3 is outside a tensor with 2 axes")
    }

    @Test func batchNormalization() throws {
        let inputs = try [
            floats([-1, 0, 1, 2, 3, 4], [1, 2, 1, 3]), floats([1, 1.5], [2]), floats([0, 1], [2]), floats([0, 3], [2]),
            floats([1, 1.5], [2]),
        ]
        let y = try evaluate("BatchNormalization", ["epsilon": .float(0)], inputs)[0].floats
        let root = Float(1.5).squareRoot()
        for (value, expected) in zip(y, [-1, 0, 1, 1 - root, 1, 1 + root]) { #expect(abs(value - expected) < 1e-5) }
        #expect(refusal("BatchNormalization", ["training_mode": .int(1)]).hasPrefix("not supported"))
        #expect(
            refusal("BatchNormalization", [:], [[1, 2, 3], [2], [2], [3], [2]])
                == "mean [3] does not fit the 2 channels of input [1, 2, 3]")
    }

    @Test func localResponse() throws {
        let y = try evaluate(
            "LRN", ["size": .int(3), "alpha": .float(3), "beta": .float(1)], [floats([1, 2, 3], [1, 3, 1])])
        let expected: [Float] = [1 / 6, 2 / 15, 3 / 14]
        #expect(y[0].floats == expected)
        #expect(refusal("LRN") == "attribute \"size\" is missing")
        #expect(refusal("LRN", ["size": .int(0)]).contains("every number must be from 1"))
    }

    @Test func layerNormalization() throws {
        let y = try evaluate(
            "LayerNormalization", ["epsilon": .float(0)], [floats([1, 3, 2, 6], [2, 2]), floats([1, 2], [2])],
            outputs: 3)
        #expect(y[0].floats == [-1, 2, -1, 2])
        #expect(y[1].floats == [2, 4])
        #expect(y[2].floats == [1, 0.5])
    }

    @Test func dropoutKeepsEverything() throws {
        let x = try floats([1, 2], [2])
        let y = try evaluate("Dropout", [:], [x], outputs: 2)
        #expect(y[0].floats == [1, 2] && y[1].elementType == .bool)
        #expect(throws: OperatorError.self) { try evaluate("Dropout", [:], [x, nil, Tensor([true], shape: [])]) }
    }
}
