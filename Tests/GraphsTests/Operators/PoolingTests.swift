import Graphs
import Tensors
import Testing

/// Expected values: the examples of https://onnx.ai/onnx/operators/onnx__MaxPool.html and onnx__AveragePool.html.
struct PoolingTests {
    private func x() throws -> Tensor { try Tensor((1...16).map(Float.init), shape: [1, 1, 4, 4]) }
    private func x5() throws -> Tensor { try Tensor((1...25).map(Float.init), shape: [1, 1, 5, 5]) }

    @Test func maximumWithCeilMode() throws {
        let y = try evaluate(
            "MaxPool", ["kernel_shape": .ints([3, 3]), "strides": .ints([2, 2]), "ceil_mode": .int(1)], [x()])
        #expect(y[0].floats == [11, 12, 15, 16])
    }

    @Test func maximumWithDilations() throws {
        let y = try evaluate("MaxPool", ["kernel_shape": .ints([2, 2]), "dilations": .ints([2, 2])], [x()])
        #expect(y[0].floats == [11, 12, 15, 16])
    }

    @Test func maximumAndIndices() throws {
        let attributes: [String: AttributeValue] = [
            "kernel_shape": .ints([2, 2]), "strides": .ints([2, 2]), "storage_order": .int(1),
        ]
        let y = try evaluate("MaxPool", attributes, [x5()], outputs: 2)
        #expect(y[0].floats == [7, 9, 17, 19])
        #expect(y[1].integers == [6, 16, 8, 18])
    }

    @Test func paddingNeverWins() throws {
        let y = try evaluate(
            "MaxPool", ["kernel_shape": .ints([3]), "pads": .ints([1, 1])], [floats([-3, -1, -2], [1, 1, 3])])
        #expect(y[0].floats == [-1, -1, -1])
    }

    @Test func meanWithCeilMode() throws {
        let y = try evaluate(
            "AveragePool", ["kernel_shape": .ints([3, 3]), "strides": .ints([2, 2]), "ceil_mode": .int(1)], [x()])
        #expect(y[0].floats == [6, 7.5, 12, 13.5])
    }

    @Test func meanWithPadding() throws {
        let window: [String: AttributeValue] = ["kernel_shape": .ints([2]), "pads": .ints([1, 0])]
        let line = try floats([2, 4, 6], [1, 1, 3])
        #expect(try evaluate("AveragePool", window, [line])[0].floats == [2, 3, 5])
        let counting = window.merging(["count_include_pad": .int(1)]) { first, _ in first }
        #expect(try evaluate("AveragePool", counting, [line])[0].floats == [1, 3, 5])
    }

    @Test func whatCeilModeAddsDoesNotCount() throws {
        let y = try evaluate(
            "AveragePool",
            [
                "kernel_shape": .ints([3]), "strides": .ints([2]), "pads": .ints([0, 1]), "ceil_mode": .int(1),
                "count_include_pad": .int(1),
            ], [floats([1, 2, 3, 4], [1, 1, 4])])
        #expect(y[0].floats == [2, 7.0 / 3])
        let overhang = try evaluate(
            "AveragePool",
            [
                "kernel_shape": .ints([3]), "strides": .ints([3]), "pads": .ints([0, 1]), "ceil_mode": .int(1),
                "count_include_pad": .int(1),
            ], [floats([1, 2, 3, 4], [1, 1, 4])])
        #expect(overhang[0].floats == [2, 2])
    }

    @Test func aWindowThatStartsInTheEndPaddingIsDropped() throws {
        let window = SpatialWindow(kernel: [1, 1], strides: [2, 2], pads: [0, 0, 1, 1], ceilMode: true)
        #expect(try window.geometry(input: [4, 5]).output == [2, 3])
    }

    @Test func globalPools() throws {
        let planes = try Tensor((1...18).map(Float.init), shape: [1, 2, 3, 3])
        #expect(try evaluate("GlobalAveragePool", [:], [planes])[0].floats == [5, 14])
        #expect(try evaluate("GlobalMaxPool", [:], [planes])[0].floats == [9, 18])
    }

    @Test func refusals() {
        #expect(refusal("MaxPool") == "attribute \"kernel_shape\" is missing")
        #expect(refusal("MaxPool", ["kernel_shape": .ints([0, 2])]).contains("every number must be from 1"))
        #expect(refusal("MaxPool", ["kernel_shape": .ints([2])], [[1, 1, 4, 4]]).contains("has 2 spatial axes"))
        #expect(
            refusal("AveragePool", ["kernel_shape": .ints([9, 9])], [[1, 1, 4, 4]])
                == "the kernel reaches over 9 elements of axis 2, but the padded input has 4")
        #expect(refusal("GlobalAveragePool", [:], [[3]]).contains("must have a batch"))
    }
}
