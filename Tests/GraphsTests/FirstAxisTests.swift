import Graphs
import Tensors
import Testing

@Suite("Whether the open first axis is a batch")
struct FirstAxisTests {
    /// A graph in the making, whose shapes are not checked while it is made.
    final class Network {
        var graph = Graph(name: "case")
        let x: Graph.ValueID

        init() {
            x = graph.addValue("x", elementType: .float32, shape: Shape([.batch, 4, 6]))
            graph.inputs = [x]
        }

        func apply(_ operation: any Operator, _ inputs: Graph.ValueID..., outputCount: Int = 1) -> [Graph.ValueID] {
            let name = "node\(graph.nodes.count)"
            let outputs = (0..<outputCount).map { graph.addValue("\(name).\($0)") }
            graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: inputs, outputs: outputs))
            return outputs
        }

        func constant(_ tensor: Tensor) -> Graph.ValueID {
            graph.addInitializer("constant\(graph.initializers.count)", tensor)
        }

        func integers(_ numbers: Int64...) throws -> Graph.ValueID {
            constant(try Tensor(numbers, shape: [numbers.count]))
        }

        func integer(_ number: Int64) throws -> Graph.ValueID { constant(try Tensor([number], shape: [])) }

        func weights(_ shape: [Int]) throws -> Graph.ValueID {
            constant(try Tensor([Float](repeating: 0.5, count: shape.reduce(1, *)), shape: shape))
        }

        func flattened() -> Graph.ValueID { apply(Flatten(), x)[0] }

        func transposed(_ value: Graph.ValueID, _ order: [Int]) -> Graph.ValueID {
            apply(Transpose(permutation: order), value)[0]
        }
    }

    /// A network of a few operators over x [N, 4, 6].
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let results: @Sendable (Network) throws -> [Graph.ValueID]

        init(_ description: String, _ results: @escaping @Sendable (Network) throws -> [Graph.ValueID]) {
            (self.description, self.results) = (description, results)
        }
    }

    private static let rowwise = [
        Case("Softmax over axis 1") { $0.apply(Softmax(axis: 1), $0.x) },
        Case("Softmax over the last axis") { $0.apply(Softmax(axis: -1), $0.x) },
        Case("Split of channels") { $0.apply(Split(axis: 1, partCount: 2), $0.x, outputCount: 2) },
        Case("a convolution of each row") { net in
            let image = net.apply(Unsqueeze(axes: [1]), net.x)[0]
            return net.apply(Conv(window: SpatialWindow(kernel: [3, 3])), image, try net.weights([2, 1, 3, 3]))
        },
        Case("a convolution of each row beside the others") { net in
            let image = net.apply(Unsqueeze(axes: [0]), net.transposed(net.x, [1, 0, 2]))[0]
            let y = net.apply(Conv(window: SpatialWindow(kernel: [1, 3])), image, try net.weights([2, 4, 1, 3]))[0]
            return [net.transposed(net.apply(Squeeze(axes: [0]), y)[0], [1, 0, 2])]
        },
        Case("Slice of every row to the end") { $0.apply(Slice(starts: [0], ends: [.max], axes: [0]), $0.x) },
        Case("Gather of channels") { $0.apply(Gather(axis: 1), $0.x, try $0.integers(0, 2)) },
        Case("Concat of channels") { $0.apply(Concat(axis: 1), $0.x, $0.x) },
        Case("rows joined and parted again") { net in
            let joined = net.apply(Concat(axis: 0), net.x, net.apply(Relu(), net.x)[0])[0]
            return [net.apply(Split(axis: 0, partCount: 2), joined, outputCount: 2)[1]]
        },
        Case("ReduceMean of channels") { $0.apply(ReduceMean(axes: ReductionAxes(axes: [1, -1])), $0.x) },
        Case("CumSum along channels") { $0.apply(CumSum(), $0.x, try $0.integer(1)) },
        Case("a product with weights") { $0.apply(MatMul(), $0.x, try $0.weights([6, 5])) },
        Case("Gemm of flattened rows") { $0.apply(Gemm(), $0.flattened(), try $0.weights([24, 5])) },
        Case("attention within a row") { $0.apply(MatMul(), $0.x, $0.transposed($0.x, [0, 2, 1])) },
        Case("positions that are made of the number of rows") { net in
            let shape = net.apply(ShapeOperator(), net.x)[0]
            let count = net.apply(Gather(axis: 0), shape, try net.integer(0))[0]
            let positions = net.apply(RangeOperator(), try net.integer(0), count, try net.integer(1))[0]
            let numbers = net.apply(Cast(to: .float32), positions)[0]
            return net.apply(Add(), net.x, net.apply(Reshape(), numbers, try net.integers(-1, 1, 1))[0])
        },
        Case("a scale of the whole batch") { net in
            let parts = net.apply(DynamicQuantizeLinear(), net.x, outputCount: 3)
            return net.apply(DequantizeLinear(), parts[0], parts[1], parts[2])
        },
        Case("one row, and no other number") { net in
            net.apply(Reshape(), net.x, try net.integers(1, 4, 6))
        },
    ]

    private static let mixing = [
        Case("Softmax over axis 0") { $0.apply(Softmax(axis: 0), $0.x) },
        Case("LogSoftmax over axis -3") { $0.apply(LogSoftmax(axis: -3), $0.x) },
        Case("Softmax of all axes together") { $0.apply(Softmax(axis: 0, flattensTrailingAxes: true), $0.x) },
        Case("Softmax over transposed rows") { $0.apply(Softmax(axis: 2), $0.transposed($0.x, [1, 2, 0])) },
        Case("LayerNormalization over axis 0") { $0.apply(LayerNormalization(axis: 0), $0.x, try $0.weights([1])) },
        Case("MeanVarianceNormalization") { $0.apply(MeanVarianceNormalization(axes: [0, 2]), $0.x) },
        Case("CumSum along rows") { $0.apply(CumSum(), $0.x, try $0.integer(-3)) },
        Case("ReduceMean of rows") { $0.apply(ReduceMean(axes: ReductionAxes(axes: [0])), $0.x) },
        Case("a largest element by which every row is divided") { net in
            net.apply(Div(), net.x, net.apply(ReduceMax(), net.x)[0])
        },
        Case("ArgMax over rows") { $0.apply(ArgMax(search: ExtremumAxis(axis: 0)), $0.x) },
        Case("TopK of one row") { $0.apply(TopK(axis: 0, k: 1), $0.x, outputCount: 2) },
        Case("Gather of the first row") { $0.apply(Gather(axis: 0), $0.x, try $0.integers(0)) },
        Case("GatherElements along rows") { net in
            let largest = net.apply(ArgMax(search: ExtremumAxis(axis: 1)), net.x)[0]
            return net.apply(GatherElements(axis: 0), net.x, largest)
        },
        Case("Slice of the first three rows") { $0.apply(Slice(starts: [0], ends: [3], axes: [0]), $0.x) },
        Case("Slice of all rows but the first") { $0.apply(Slice(starts: [1], ends: [.max], axes: [0]), $0.x) },
        Case("Slice of reversed rows") { net in
            net.apply(
                Slice(), net.x, try net.integers(-1), try net.integers(.min), try net.integers(0), try net.integers(-1))
        },
        Case("Concat along axis 0") { $0.apply(Concat(axis: 0), $0.x, $0.x) },
        Case("Concat of rows and a constant row") { $0.apply(Concat(axis: 0), $0.x, try $0.weights([1, 4, 6])) },
        Case("Pad along axis 0") { $0.apply(Pad(pads: [1, 0, 0, 0, 0, 0]), $0.x) },
        Case("rows times rows") { $0.apply(MatMul(), $0.flattened(), $0.transposed($0.flattened(), [1, 0])) },
        Case("sums over rows") { $0.apply(MatMul(), $0.transposed($0.flattened(), [1, 0]), $0.flattened()) },
        Case("attention between rows") { net in
            let rows = net.flattened()
            return net.apply(MatMul(), net.apply(MatMul(), rows, net.transposed(rows, [1, 0]))[0], rows)
        },
        Case("Einsum that sums over rows") { $0.apply(try Einsum(equation: "nij,nij->ij"), $0.x, $0.x) },
        Case("differences between all rows") { net in
            net.apply(
                Sub(), net.apply(Unsqueeze(axes: [0]), net.x)[0], net.apply(Unsqueeze(axes: [1]), net.x)[0])
        },
        Case("a recurrence whose steps are rows") { net in
            net.apply(RNN(), net.x, try net.weights([1, 5, 6]), try net.weights([1, 5, 5]), outputCount: 1)
        },
        Case("a convolution over three rows") { net in
            let moved = net.transposed(net.x, [1, 0, 2])
            let image = net.apply(Unsqueeze(axes: [0]), moved)[0]
            let window = SpatialWindow(kernel: [3, 1], pads: [1, 0, 1, 0])
            let y = net.apply(Conv(window: window), image, try net.weights([4, 4, 3, 1]))[0]
            return [net.transposed(net.apply(Squeeze(axes: [0]), y)[0], [1, 0, 2])]
        },
        Case("a convolution whose channels are rows") { net in
            let image = net.apply(Unsqueeze(axes: [0]), net.x)[0]
            return net.apply(Conv(), image, try net.weights([4, 4, 1, 1]))
        },
        Case("the maximum of three rows") { net in
            let image = net.apply(Unsqueeze(axes: [0, 1]), net.flattened())[0]
            let window = SpatialWindow(kernel: [3, 1], pads: [1, 0, 1, 0])
            return net.apply(Squeeze(axes: [0, 1]), net.apply(MaxPool(window: window), image)[0])
        },
        Case("a normalization of rows as a channel's elements") { net in
            let image = net.apply(Unsqueeze(axes: [0]), net.transposed(net.flattened(), [1, 0]))[0]
            let row = try net.weights([24])
            let y = net.apply(InstanceNormalization(), image, row, row)[0]
            return [net.transposed(net.apply(Squeeze(axes: [0]), y)[0], [1, 0])]
        },
        Case("LRN of rows as channels") { net in
            let image = net.apply(Unsqueeze(axes: [0]), net.x)[0]
            return net.apply(Squeeze(axes: [0]), net.apply(LRN(size: 3), image)[0])
        },
        Case("rows of a triangle") { $0.apply(Trilu(), $0.flattened()) },
        Case("rows that are replaced") { net in
            net.apply(ScatterND(), net.x, try net.integers(0), try net.weights([4, 6]))
        },
        // These refuse a single row.
        Case("Split into two halves") { $0.apply(Split(axis: 0, partCount: 2), $0.x, outputCount: 2) },
        Case("Split into one row and three") { $0.apply(Split(axis: 0, extents: [1, 3]), $0.x, outputCount: 2) },
        Case("TopK of three rows") { $0.apply(TopK(axis: 0, k: 3), $0.x, outputCount: 2) },
        Case("Gemm with transA") { $0.apply(Gemm(transA: true), $0.flattened(), try $0.weights([4, 5])) },
        Case("Reshape to [2, 2, …]") { $0.apply(Reshape(), $0.x, try $0.integers(2, 2, 4, 6)) },
        Case("LayerNormalization with a scale for each row") { net in
            net.apply(LayerNormalization(axis: 0), net.x, try net.weights([4, 4, 6]))
        },
        Case("a batch that becomes space") { $0.apply(Reshape(), $0.x, try $0.integers(-1, 2, 2, 4, 6)) },
    ]

    private func reason(_ network: Case) throws -> String? {
        let net = Network()
        net.graph.outputs = try network.results(net)
        try net.graph.validate()
        return net.graph.reasonAgainstBatch(inputShapes: [[1, 4, 6]])
    }

    @Test("It may be one where every row is computed from itself", arguments: rowwise)
    func mayBeBatch(network: Case) throws {
        #expect(try reason(network) == nil)
    }

    @Test("It is none where rows are computed from one another, or one row is refused", arguments: mixing)
    func isNone(network: Case) throws {
        let reason = try #require(try reason(network))
        #expect(reason.hasPrefix("node \""))
    }

    @Test("Nothing is said where the first extent is fixed")
    func fixed() throws {
        let net = Network()
        net.graph.outputs = net.apply(Softmax(axis: 0), net.x)
        net.graph.values[net.x.index].shape = Shape([4, 4, 6])
        #expect(net.graph.reasonAgainstBatch(inputShapes: [[4, 4, 6]]) == nil)
    }
}
