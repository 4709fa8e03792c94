import Graphs
import Tensors
import Testing

/// Attributes and inputs that no operator accepts: each is an error, never a trap, a hang or a huge allocation.
struct ImpossibleOperandTests {
    struct Impossible: Sendable, CustomTestStringConvertible {
        var name: String
        var attributes: [String: AttributeValue] = [:]
        var inputs: [Operand]

        var testDescription: String { "\(name) \(attributes.sorted { $0.key < $1.key }) \(inputs)" }
    }

    enum Operand: Sendable {
        case numbers([Int])
        case integers([Int64], [Int])
        case floats([Float], [Int])
        case bytes([Int])
        case absent

        func tensor() throws -> Tensor? {
            switch self {
            case .numbers(let shape): try counting(shape)
            case .integers(let values, let shape): try Tensor(values, shape: shape)
            case .floats(let values, let shape): try Tensor(values, shape: shape)
            case .bytes(let shape): try Tensor(zeros: .uint8, shape: shape)
            case .absent: nil
            }
        }
    }

    private static let extremes: [Int64] = [.min, -5, 4, 1 << 31, 1 << 62, .max]

    static let axes: [Impossible] = extremes.flatMap { (value: Int64) -> [Impossible] in
        let axis: [String: AttributeValue] = ["axis": .int(value)]
        let x = Operand.numbers([2, 3, 4])
        let index = Operand.integers([0, 1], [2])
        return [
            Impossible(name: "GatherElements", attributes: axis, inputs: [x, .integers([0], [1, 1, 1])]),
            Impossible(
                name: "ScatterElements", attributes: axis,
                inputs: [x, .integers([0], [1, 1, 1]), .numbers([1, 1, 1])]),
            Impossible(name: "OneHot", attributes: axis, inputs: [index, .integers([3], []), .numbers([2])]),
            Impossible(name: "TopK", attributes: axis, inputs: [x, .integers([1], [1])]),
            Impossible(name: "CumSum", inputs: [x, .integers([value], [])]),
            Impossible(name: "Hardmax", attributes: axis, inputs: [x]),
            Impossible(name: "LpNormalization", attributes: axis, inputs: [x]),
            Impossible(name: "RMSNormalization", attributes: axis, inputs: [x, .numbers([4])]),
            Impossible(name: "MeanVarianceNormalization", attributes: ["axes": .ints([value])], inputs: [x]),
            Impossible(name: "CenterCropPad", attributes: ["axes": .ints([value])], inputs: [x, .integers([1], [1])]),
            Impossible(name: "ReverseSequence", attributes: ["time_axis": .int(value)], inputs: [x, index]),
            Impossible(name: "TensorScatter", attributes: axis, inputs: [x, .numbers([2, 1, 4])]),
            Impossible(name: "DequantizeLinear", attributes: axis, inputs: [.bytes([2, 3, 4]), .numbers([3])]),
            Impossible(name: "GatherND", attributes: ["batch_dims": .int(value)], inputs: [x, index]),
        ]
    }

    static let indices: [Impossible] = extremes.flatMap { (value: Int64) -> [Impossible] in
        let x = Operand.numbers([2, 3, 4])
        return [
            Impossible(name: "Gather", inputs: [x, .integers([value], [1])]),
            Impossible(name: "GatherElements", inputs: [x, .integers([value], [1, 1, 1])]),
            Impossible(name: "GatherND", inputs: [x, .integers([0, value], [2])]),
            Impossible(name: "ScatterElements", inputs: [x, .integers([value], [1, 1, 1]), .numbers([1, 1, 1])]),
            Impossible(name: "ScatterND", inputs: [x, .integers([value], [1, 1]), .numbers([1, 3, 4])]),
            Impossible(name: "ReverseSequence", inputs: [x, .integers([value, 0, 0], [3])]),
            Impossible(name: "TensorScatter", inputs: [x, .numbers([2, 1, 4]), .integers([value, 0], [2])]),
            Impossible(
                name: "RoiAlign", inputs: [.numbers([1, 1, 4, 4]), .numbers([1, 4]), .integers([value], [1])]),
            Impossible(
                name: "MaxUnpool", attributes: ["kernel_shape": .ints([2])],
                inputs: [.numbers([1, 1, 1]), .integers([value], [1, 1, 1])]),
            Impossible(
                name: "LSTM",
                inputs: [
                    .numbers([2, 1, 1]), .numbers([1, 4, 1]), .numbers([1, 4, 1]), .absent, .integers([value], [1]),
                ]),
            Impossible(
                name: "RotaryEmbedding",
                inputs: [.numbers([1, 1, 1, 2]), .numbers([2, 1]), .numbers([2, 1]), .integers([value], [1, 1])]),
        ]
    }

    private static let extents: [Int64] = [.min, -1, 1 << 40, 1 << 62, .max]

    static let sizes: [Impossible] = extents.flatMap { (value: Int64) -> [Impossible] in
        [
            Impossible(name: "OneHot", inputs: [.integers([0, 1], [2]), .integers([value], []), .numbers([2])]),
            Impossible(name: "TopK", inputs: [.numbers([2, 3]), .integers([value], [1])]),
            Impossible(name: "HannWindow", inputs: [.integers([value], [])]),
            Impossible(name: "CenterCropPad", inputs: [.numbers([1, 2]), .integers([value, 3], [2])]),
            Impossible(name: "AffineGrid", inputs: [.numbers([1, 2, 3]), .integers([1, 1, value, value], [4])]),
            Impossible(
                name: "MaxUnpool", attributes: ["kernel_shape": .ints([value])],
                inputs: [.numbers([1, 1, 1]), .integers([0], [1, 1, 1])]),
            Impossible(
                name: "MaxUnpool", attributes: ["kernel_shape": .ints([1])],
                inputs: [.numbers([1, 1, 1]), .integers([0], [1, 1, 1]), .integers([1, value, value], [3])]),
            Impossible(
                name: "Col2Im",
                inputs: [.numbers([1, 1, 1]), .integers([value, value], [2]), .integers([1, 1], [2])]),
            Impossible(
                name: "RoiAlign", attributes: ["output_height": .int(value), "output_width": .int(value)],
                inputs: [.numbers([1, 1, 4, 4]), .numbers([1, 4]), .integers([0], [1])]),
            Impossible(
                name: "MaxRoiPool", attributes: ["pooled_shape": .ints([value, value])],
                inputs: [.numbers([1, 1, 4, 4]), .numbers([1, 5])]),
            Impossible(
                name: "DeformConv", attributes: ["pads": .ints([0, 0, value, 0])],
                inputs: [.numbers([1, 1, 4, 4]), .numbers([1, 1, 2, 2]), .numbers([1, 8, 3, 3])]),
            Impossible(
                name: "GroupNormalization", attributes: ["num_groups": .int(value)],
                inputs: [.numbers([1, 4, 2]), .numbers([4]), .numbers([4])]),
            Impossible(
                name: "Attention", attributes: ["q_num_heads": .int(value), "kv_num_heads": .int(value)],
                inputs: [.numbers([1, 2, 4]), .numbers([1, 2, 4]), .numbers([1, 2, 4])]),
            Impossible(
                name: "RotaryEmbedding", attributes: ["num_heads": .int(value)],
                inputs: [.numbers([1, 2, 4]), .numbers([1, 2, 1]), .numbers([1, 2, 1])]),
            Impossible(
                name: "GRU", attributes: ["hidden_size": .int(value)],
                inputs: [.numbers([1, 1, 1]), .numbers([1, 3, 1]), .numbers([1, 3, 1])]),
            Impossible(
                name: "QuantizeLinear", attributes: ["block_size": .int(value), "output_dtype": .elementType(.uint8)],
                inputs: [.numbers([4, 4]), .numbers([4, 2])]),
        ]
    }

    static let others: [Impossible] = [
        Impossible(
            name: "RoiAlign",
            inputs: [.numbers([1, 1, 4, 4]), .floats([0, 0, .infinity, 1], [1, 4]), .integers([0], [1])]),
        Impossible(
            name: "RoiAlign",
            inputs: [.numbers([1, 1, 4, 4]), .floats([0, 0, 1e30, 1], [1, 4]), .integers([0], [1])]),
        Impossible(
            name: "RoiAlign",
            inputs: [.numbers([1, 1, 4, 4]), .floats([0, .nan, 1, 1], [1, 4]), .integers([0], [1])]),
        Impossible(
            name: "MaxRoiPool", attributes: ["pooled_shape": .ints([2, 2])],
            inputs: [.numbers([1, 1, 4, 4]), .floats([.nan, 0, 0, 1, 1], [1, 5])]),
        Impossible(
            name: "Einsum", attributes: ["equation": .string("ij,jk->il")],
            inputs: [.numbers([2, 2]), .numbers([2, 2])]),
        Impossible(
            name: "Einsum", attributes: ["equation": .string("ij,jk-")], inputs: [.numbers([2, 2]), .numbers([2, 2])]),
        Impossible(name: "Einsum", attributes: ["equation": .string("......,->")], inputs: [.numbers([2, 2])]),
        Impossible(name: "Einsum", attributes: ["equation": .string("i1->")], inputs: [.numbers([2, 2])]),
        Impossible(name: "Einsum", attributes: ["equation": .string("ij->ij")], inputs: [.numbers([2])]),
        Impossible(
            name: "Einsum", attributes: ["equation": .string("ij,jk->ik")],
            inputs: [.numbers([2, 3]), .numbers([2, 2])]),
        Impossible(
            name: "LSTM", attributes: ["activations": .strings(["Tanh"])],
            inputs: [.numbers([1, 1, 1]), .numbers([1, 4, 1]), .numbers([1, 4, 1])]),
        Impossible(
            name: "RNN", attributes: ["clip": .float(.nan)],
            inputs: [.numbers([1, 1, 1]), .numbers([1, 1, 1]), .numbers([1, 1, 1])]),
        Impossible(name: "GridSample", inputs: [.numbers([1, 1, 0, 2]), .numbers([1, 1, 1, 2])]),
        Impossible(name: "BitShift", attributes: ["direction": .string("UP")], inputs: [.bytes([2]), .bytes([2])]),
    ]

    @Test("Impossible attributes and inputs are errors", arguments: [axes, indices, sizes, others])
    func refused(_ cases: [Impossible]) throws {
        for test in cases {
            let inputs = try test.inputs.map { try $0.tensor() }
            do {
                _ = try evaluate(test.name, test.attributes, inputs)
                Issue.record("\(test.testDescription) is accepted")
            } catch is OperatorError {
            } catch is TensorError {
            }
        }
    }

    /// Coordinates that are NaN give some result, and shifts may have any size.
    @Test func extremeNumbersAreComputed() throws {
        let grid = try floats([.nan, .infinity, -.infinity, 1e38, 0, 0, -1e38, .nan], [1, 2, 2, 2])
        for mode in ["nearest", "linear", "cubic"] {
            for padding in ["zeros", "border", "reflection"] {
                let attributes: [String: AttributeValue] = ["mode": .string(mode), "padding_mode": .string(padding)]
                let y = try evaluate("GridSample", attributes, [counting([1, 1, 3, 3]), grid])
                #expect(y[0].shape == [1, 1, 2, 2])
            }
        }
        for k in [Int64.min, .max, -(1 << 40), 1 << 40] {
            let shift = try Tensor([k], shape: [])
            #expect(
                try evaluate("Trilu", [:], [counting([2, 2]), shift])[0].floats
                    == (k < 0 ? [0, 1, 2, 3] : [0, 0, 0, 0]))
            #expect(
                try evaluate("Trilu", ["upper": .int(0)], [counting([2, 2]), shift])[0].floats
                    == (k < 0 ? [0, 0, 0, 0] : [0, 1, 2, 3]))
            #expect(try evaluate("EyeLike", ["k": .int(k)], [counting([2, 2])])[0].floats == [0, 0, 0, 0])
        }
        let offsets = try floats([.nan, .infinity, 1e38, -1e38, 0, 0, 0, 0], [1, 2, 2, 2])
        let y = try evaluate("DeformConv", [:], [counting([1, 1, 2, 2]), floats([1], [1, 1, 1, 1]), offsets])
        #expect(y[0].floats == [0, 0, 0, 0])
        #expect(
            try evaluate("Mod", [:], [Tensor([Int64.min, 5], shape: [2]), Tensor([Int64(-1), 0], shape: [2])])[0]
                .integers
                == [0, 0])
    }
}
