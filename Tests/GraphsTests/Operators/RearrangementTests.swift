import Graphs
import Tensors
import Testing

struct RearrangementTests {
    @Test(arguments: [
        ([0, -1], [2, 12]), ([4, 6], [4, 6]), ([-1], [24]), ([2, 3, 4, 1], [2, 3, 4, 1]),
        ([2, 0, 2, -1], [2, 3, 2, 2]),
    ])
    func reshape(shape: [Int], expected: [Int]) throws {
        let y = try evaluate("Reshape", [:], [counting([2, 3, 4]), integers(shape.map(Int64.init))])
        #expect(y[0].shape == expected)
    }

    @Test func reshapeRefusals() {
        let big = Int64.max
        for (shape, message) in [
            ([-1, -1], "at most one -1"), ([5, -1], "do not fill"), ([25], "do not fill"), ([-2, 3], "at most one -1"),
            ([big, big], "too large"), ([1, 1, 1, 0], "keeps axis 3"),
        ] {
            #expect(refusal("Reshape", ["shape": .ints(shape)], [[2, 3, 4]]).contains(message))
        }
        let unknown: [TensorType?] = [TensorType(.float32, [2]), TensorType(.int64, [1])]
        #expect(throws: OperatorError.self) { try Reshape().outputTypes(for: unknown) }
    }

    @Test func sliceBackwards() throws {
        let y = try evaluate(
            "Slice", [:], [counting([6]), integers([-1]), integers([.min]), integers([0]), integers([-2])])
        #expect(y[0].floats == [5, 3, 1])
        let whole = try evaluate("Slice", ["starts": .ints([-100]), "ends": .ints([.max])], [counting([3])])
        #expect(whole[0].floats == [0, 1, 2])
        #expect(throws: OperatorError.self) {
            try evaluate("Slice", [:], [counting([6]), integers([0]), integers([1]), integers([0]), integers([0])])
        }
    }

    @Test func pad() throws {
        let x = try counting([3])
        func padded(_ mode: String) throws -> [Float] {
            try evaluate("Pad", ["mode": .string(mode)], [x, integers([2, 3])])[0].floats
        }
        #expect(try padded("constant") == [0, 0, 0, 1, 2, 0, 0, 0])
        #expect(try padded("edge") == [0, 0, 0, 1, 2, 2, 2, 2])
        #expect(try padded("reflect") == [2, 1, 0, 1, 2, 1, 0, 1])
        #expect(try padded("wrap") == [1, 2, 0, 1, 2, 0, 1, 2])
        #expect(try evaluate("Pad", [:], [x, integers([-1, -1])])[0].floats == [1])
        #expect(refusal("Pad", ["pads": .ints([-2, -2])], [[3]]).contains("do not fit axis 0"))
        #expect(refusal("Pad", ["mode": .string("mirror")]).contains("constant, reflect, edge, wrap"))
    }

    @Test func concat() throws {
        let y = try evaluate("Concat", ["axis": .int(-1)], [counting([2, 1]), counting([2, 2])])
        #expect(y[0].floats == [0, 0, 1, 1, 2, 3])
        #expect(
            refusal("Concat", ["axis": .int(1)], [[1, 64, 55, 55], [1, 64, 54, 55]])
                == "inputs disagree on height: 55 and 54")
        #expect(refusal("Concat") == "attribute \"axis\" is missing")
        #expect(refusal("Concat", ["axis": .int(4)], [[1, 2]]) == "axis 4 is outside a tensor with 2 axes")
    }

    @Test func split() throws {
        let x = try counting([7])
        let uneven = try evaluate("Split", ["num_outputs": .int(3)], [x], outputs: 3)
        #expect(uneven.map(\.floats) == [[0, 1, 2], [3, 4, 5], [6]])
        let sized = try evaluate("Split", ["split": .ints([2, 5])], [x], outputs: 2)
        #expect(sized.map(\.shape) == [[2], [5]])
        var even = Split(partCount: 2)
        #expect(try even.outputTypes(for: [TensorType(x)]).map(\.shape) == [[4], [3]])
        even.allowsRemainder = false
        #expect(throws: OperatorError.self) { try even.outputTypes(for: [TensorType(x)]) }
        #expect(refusal("Split", ["split": .ints([9, -2])], [[7]]).contains("do not add up"))
    }

    @Test func gather() throws {
        let y = try evaluate("Gather", ["axis": .int(1)], [counting([2, 3]), integers([-1, 0])])
        #expect(y[0].floats == [2, 0, 5, 3])
        #expect(throws: OperatorError.self) { try evaluate("Gather", [:], [counting([2]), integers([2])]) }
    }

    @Test func shapes() throws {
        let x = try counting([2, 3, 4])
        #expect(try evaluate("Shape", [:], [x])[0].integers == [2, 3, 4])
        #expect(try evaluate("Shape", ["start": .int(-2), "end": .int(9)], [x])[0].integers == [3, 4])
        #expect(try evaluate("Size", [:], [x])[0].integers == [24])
        #expect(try evaluate("Unsqueeze", [:], [x, integers([0, -1])])[0].shape == [1, 2, 3, 4, 1])
        #expect(try evaluate("Squeeze", [:], [counting([1, 3, 1])])[0].shape == [3])
        #expect(try evaluate("Flatten", ["axis": .int(-1)], [x])[0].shape == [6, 4])
        #expect(refusal("Squeeze", ["axes": .ints([1])], [[1, 3]]) == "axis 1 of [1, 3] has the extent 3, not 1")
        #expect(refusal("Transpose", ["perm": .ints([0, 0])], [[2, 2]]).contains("a permutation of 2 axes"))
        #expect(refusal("Flatten", ["axis": .int(.min)], [[2, 2]]).contains("is outside"))
    }

    @Test func depthToSpace() throws {
        let x = try counting([1, 8, 1, 1])
        #expect(try evaluate("DepthToSpace", ["blocksize": .int(2)], [x])[0].floats == [0, 2, 4, 6, 1, 3, 5, 7])
        let crd: [String: AttributeValue] = ["blocksize": .int(2), "mode": .string("CRD")]
        #expect(try evaluate("DepthToSpace", crd, [x])[0].floats == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(refusal("DepthToSpace", ["blocksize": .int(0)]).contains("every number must be from 1"))
        #expect(refusal("SpaceToDepth", ["blocksize": .int(3)], [[1, 1, 4, 4]]).contains("multiples of 3"))
    }

    @Test func reductions() throws {
        let x = try counting([2, 3])
        #expect(
            try evaluate("ReduceMean", ["axes": .ints([1]), "keepdims": .int(0)], [x])[0].floats == [1, 4])
        #expect(try evaluate("ReduceSum", [:], [x, integers([0])])[0].floats == [3, 5, 7])
        #expect(try evaluate("ReduceSum", ["noop_with_empty_axes": .int(1)], [x])[0].shape == [2, 3])
        #expect(try evaluate("ArgMax", ["axis": .int(1)], [floats([1, 3, 3], [1, 3])])[0].integers == [1])
        #expect(refusal("ReduceSum", ["axes": .ints([0, -2])], [[2, 3]]).contains("twice"))
    }

    @Test func resize() throws {
        let x = try floats([1, 2, 3, 4], [1, 1, 2, 2])
        let scales = try floats([1, 1, 2, 2], [4])
        let nearest = try evaluate("Resize", [:], [x, nil, scales])[0].floats
        #expect(nearest == [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4])
        let linear = try evaluate("Resize", ["mode": .string("linear")], [x, nil, scales])[0].floats
        #expect(
            linear == [1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4])
        for scale in [Float.nan, .infinity, 0, -1] {
            #expect(throws: OperatorError.self) {
                try evaluate("Resize", [:], [x, nil, floats([1, 1, scale, 1], [4])])
            }
        }
    }
}
