import Graphs
import Tensors
import Testing

/// Expected values: the examples of https://onnx.ai/onnx/operators/onnx__Conv.html and onnx__ConvTranspose.html.
struct ConvolutionTests {
    private let ones = [Float](repeating: 1, count: 9)

    @Test func padding() throws {
        let y = try evaluate(
            "Conv", ["kernel_shape": .ints([3, 3]), "pads": .ints([1, 1, 1, 1])],
            [counting([1, 1, 5, 5]), floats(ones, [1, 1, 3, 3])])
        #expect(
            y[0].floats == [
                12, 21, 27, 33, 24, 33, 54, 63, 72, 51, 63, 99, 108, 117, 81, 93, 144, 153, 162, 111, 72, 111, 117, 123,
                84,
            ])
    }

    @Test func noPadding() throws {
        let y = try evaluate("Conv", [:], [counting([1, 1, 5, 5]), floats(ones, [1, 1, 3, 3])])
        #expect(y[0].floats == [54, 63, 72, 99, 108, 117, 144, 153, 162])
    }

    @Test func asymmetricPaddingAndStrides() throws {
        let y = try evaluate(
            "Conv", ["strides": .ints([2, 2]), "pads": .ints([1, 0, 1, 0])],
            [counting([1, 1, 7, 5]), floats(ones, [1, 1, 3, 3])])
        #expect(y[0].shape == [1, 1, 4, 2])
        #expect(y[0].floats == [21, 33, 99, 117, 189, 207, 171, 183])
    }

    @Test func sameLower() throws {
        let y = try evaluate(
            "Conv", ["strides": .ints([2, 2]), "auto_pad": .string("SAME_LOWER"), "kernel_shape": .ints([3, 3])],
            [counting([1, 1, 5, 5]), floats(ones, [1, 1, 3, 3])])
        #expect(y[0].floats == [12, 27, 24, 63, 108, 81, 72, 117, 84])
    }

    @Test func groupsBiasAndActivation() throws {
        var operation = Conv(group: 2)
        operation.activation = .relu
        let inputs = try [
            floats([1, 2, 3, 4], [1, 2, 1, 2]), floats([2, -1], [2, 1, 1, 1]), floats([10, 3.5], [2]),
        ]
        let types = try operation.outputTypes(for: inputs.map { TensorType($0) })
        #expect(try operation.evaluate(inputs, outputTypes: types)[0].floats == [12, 14, 0.5, 0])
        #expect(operation.cost(inputs: inputs.map { TensorType($0) }, outputs: types).multiplyAdds == 4)
    }

    @Test func addendComesBeforeTheActivation() throws {
        let operation = Conv(activation: .relu)
        let inputs: [Tensor?] = try [
            floats([1, 2, 3, 4], [2, 1, 1, 2]), floats([2], [1, 1, 1, 1]), nil,
            floats([-3, 1, 0.5, -8], [2, 1, 1, 2]),
        ]
        let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
        #expect(try operation.evaluate(inputs, outputTypes: types)[0].floats == [0, 5, 6.5, 0])
        let bytes = 4 * (4 + 1 + 4 + 4)
        #expect(operation.cost(inputs: inputs.map { $0.map { TensorType($0) } }, outputs: types).bytes == bytes)
        let shapes = [[1, 4, 8, 8], [6, 4, 3, 3], [6], [1, 6, 1, 1]]
        #expect(refusal("Conv", [:], shapes) == "addend [1, 6, 1, 1] does not fit the result [1, 6, 6, 6]")
    }

    @Test func transposed() throws {
        let y = try evaluate(
            "ConvTranspose", [:], [counting([1, 1, 3, 3]), floats(ones + ones, [1, 2, 3, 3])])
        let plane: [Float] = [
            0, 1, 3, 3, 2, 3, 8, 15, 12, 7, 9, 21, 36, 27, 15, 9, 20, 33, 24, 13, 6, 13, 21, 15, 8,
        ]
        #expect(y[0].shape == [1, 2, 5, 5])
        #expect(y[0].floats == plane + plane)
    }

    @Test func costCountsGroupsAndNoBias() throws {
        let inputs: [TensorType?] = [
            TensorType(.float32, [2, 32, 16, 16]), TensorType(.float32, [64, 8, 3, 3]), TensorType(.float32, [64]),
        ]
        let operation = Conv(group: 4, strides: [2, 2], pads: [1, 1, 1, 1])
        let outputs = try operation.outputTypes(for: inputs)
        #expect(outputs[0].shape == [2, 64, 8, 8])
        #expect(operation.cost(inputs: inputs, outputs: outputs).multiplyAdds == 2 * 64 * 8 * 8 * 8 * 9)
    }

    @Test func refusals() {
        let shapes = [[1, 4, 8, 8], [6, 4, 3, 3]]
        #expect(refusal("Conv", ["group": .int(0)]) == "attribute \"group\" is 0; at least 1 is expected")
        #expect(
            refusal("Conv", ["strides": .ints([0, 1])])
                == "attribute \"strides\" is [0, 1]; every number must be from 1 to 2147483647")
        #expect(refusal("Conv", ["pads": .ints([-1, 0, 0, 0])]).contains("every number must be from 0"))
        #expect(refusal("Conv", ["dilations": .ints([.max, 1])]).contains("every number must be from 1"))
        #expect(refusal("Conv", ["auto_pad": .string("MOST")]).contains("SAME_UPPER, SAME_LOWER or VALID"))
        #expect(refusal("Conv", ["strides": .ints([1])], shapes).contains("has 2 spatial axes"))
        #expect(refusal("Conv", ["group": .int(3)], shapes).contains("in 3 groups does not fit"))
        #expect(
            refusal("Conv", ["group": .int(4)], [[1, 4, 8, 8], [6, 1, 3, 3]]).contains("do not divide into 4 groups"))
        #expect(refusal("Conv", ["kernel_shape": .ints([5, 5])], shapes).contains("but the weights are [3, 3]"))
        #expect(
            refusal("Conv", [:], [[1, 4, 2, 8], [6, 4, 3, 3]])
                == "the kernel reaches over 3 elements of axis 2, but the padded input has 2")
        #expect(refusal("Conv", [:], [[4], [4]]).contains("at least 3"))
        #expect(refusal("Conv", [:], shapes + [[5]]).contains("does not fit 6 output channels"))
        #expect(refusal("Conv", ["strides": .int(1)]) == "attribute \"strides\" is an integer, not a list of integers")
    }
}
