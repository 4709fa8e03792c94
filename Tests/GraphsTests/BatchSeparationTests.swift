import Graphs
import Tensors
import Testing

@Suite("Whether the images of a batch can be computed apart")
struct BatchSeparationTests {
    /// The reason against separating a batch of 4 into single images.
    private func reason(_ describe: (GraphBuilder, GraphBuilder.Value) -> Void) throws -> String? {
        let graph = try Graph.build("case") { net in
            describe(net, net.input("image", .float32, [.batch, 4, 6, 6]))
        }.randomized()
        let shapes = [4, 1].map { count in
            graph.inputs.map { id in graph[id].shape?.binding(["N": count]) ?? [] }
        }
        let batch = try #require(BatchTypes(graph, inputShapes: shapes[0]))
        return try graph.specialized(inputShapes: shapes[1])
            .reasonAgainstSeparation(comparedWith: graph.specialized(inputShapes: shapes[0]), batch)
    }

    @Test("Layers that look at one image at a time can")
    func separates() throws {
        let reason = try reason { net, image in
            let features = image.convolution(4, kernel: 3, padding: .same).batchNormalization().relu()
            let joined = net.apply(Concat(axis: -3), [features + image, net.apply(Softmax(axis: 1), [image])])
            let mask = net.input("mask", .float32, [1, 8, 6, 6])
            let part = net.apply(Slice(starts: [1], ends: [7], axes: [1]), [joined * mask])
            let pooled = part.maxPool(2).averagePool(2)
            net.output("nhwc", net.apply(Transpose(permutation: [0, 2, 3, 1]), [pooled]))
            net.output("scores", pooled.flatten().linear(5).softmax())
        }
        #expect(reason == nil)
    }

    @Test("A reshape whose extents name the batch size can")
    func reshapes() throws {
        let reason = try reason { net, image in
            let shape = net.apply(ShapeOperator(), [image])
            let batch = net.apply(Slice(starts: [0], ends: [1], axes: [0]), [shape])
            guard let rest = try? Tensor([Int64(36), 4], shape: [2]) else { return }
            let target = net.apply(Concat(axis: 0), [batch], [rest])
            net.output("y", net.apply(Reshape(), [image, target]))
        }
        #expect(reason == nil)
    }

    @Test("What mixes images, counts them or has no part for each cannot, and says so")
    func refuses() throws {
        func expect(_ part: String, _ describe: (GraphBuilder, GraphBuilder.Value) -> Void) throws {
            let reason = try reason(describe)
            #expect(reason?.contains(part) == true, "\(reason ?? "separates")")
        }
        try expect("(Softmax) may compute an image from the others") { net, image in
            net.output("y", net.apply(Softmax(axis: 0), [image]).relu())
        }
        try expect("(Slice) may compute an image from the others") { net, image in
            let numbers = [-1, -9, 0, -1].compactMap { try? Tensor([Int64($0)], shape: [1]) }
            net.output("y", net.apply(Slice(), [image], numbers))
        }
        try expect("output \"y\" has no part for each image") { net, image in
            net.output("y", net.apply(ReduceMean(axes: ReductionAxes(axes: [0])), [image]))
        }
        try expect("(ReduceMean) makes one of what has a part for each image") { net, image in
            net.output("y", image + net.apply(ReduceMean(axes: ReductionAxes(axes: [0])), [image]))
        }
        try expect("extents that do not simply follow the batch") { net, image in
            let mixed = net.apply(Reshape(shape: [4, -1]), [image]).relu()
            net.output("y", net.apply(Reshape(shape: [-1, 4, 6, 6]), [mixed]))
        }
        try expect("which depends on the batch size") { net, image in
            let shape = net.apply(ShapeOperator(), [image])
            let count = net.apply(Cast(to: .float32), [net.apply(Slice(starts: [0], ends: [1], axes: [0]), [shape])])
            net.output("y", image * count)
        }
    }
}
