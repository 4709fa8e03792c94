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

    @Test("A constant that is repeated for each image can, as the class token of a transformer")
    func repeatedConstants() throws {
        let reason = try reason { net, image in
            let batch = net.apply(Slice(starts: [0], ends: [1], axes: [0]), [net.apply(ShapeOperator(), [image])])
            guard let rest = try? Tensor([Int64(1), 6, 6], shape: [3]),
                let token = try? Tensor.random([1, 1, 6, 6], seed: "token")
            else { return }
            let shape = net.apply(Concat(axis: 0), [batch], [rest])
            let tokens = net.apply(Expand(), [net.constant("token", token), shape])
            net.output("y", net.apply(Concat(axis: 1), [tokens, image]))
        }
        #expect(reason == nil)
    }

    @Test("Windows of an image can, and so can Pad and Resize that leave the batch alone")
    func windows() throws {
        let reason = try reason { net, image in
            func apply(_ operation: any Operator, _ x: GraphBuilder.Value, _ numbers: [Int64]) -> GraphBuilder.Value {
                net.apply(operation, [x], [(try? Tensor(numbers, shape: [numbers.count])) ?? net.never])
            }
            let split = net.apply(
                Transpose(permutation: [0, 2, 4, 1, 3, 5]), [apply(Reshape(), image, [-1, 4, 2, 3, 2, 3])])
            let windows = net.apply(Softmax(axis: -1), [apply(Reshape(), split, [-1, 4, 9])])
            let padded = apply(Pad(), apply(Reshape(), windows, [-1, 4, 6, 6]), [0, 0, 1, 1, 0, 0, 1, 1])
            net.output("y", padded)
        }
        #expect(reason == nil)
    }

    @Test("A value that a rewrite added has a part for each image where its type says so")
    func addedValues() throws {
        let graph = try Graph.build("case") { net in
            let x = net.apply(
                Reshape(), [net.input("image", .float32, [.batch, 4, 6, 6])],
                [
                    (try? Tensor([Int64(-1), 24, 6], shape: [3])) ?? net.never
                ])
            guard let weight = try? Tensor.random([6, 5], seed: "weight") else { return }
            let product = net.apply(
                MatMul(), [net.apply(Transpose(permutation: [1, 0, 2]), [x]), net.constant("weight", weight)])
            net.output("y", net.apply(Transpose(permutation: [1, 0, 2]), [product]))
        }
        let shapes = [4, 1].map { [[$0, 4, 6, 6]] }
        let batch = try #require(BatchTypes(graph, inputShapes: shapes[0]))
        let (whole, one) = try (
            Rewrites.declutter(graph.specialized(inputShapes: shapes[0]), types: batch.symbolic),
            Rewrites.declutter(graph.specialized(inputShapes: shapes[1]), types: batch.symbolic)
        )
        #expect(whole.graph.operatorNames == ["Reshape", "MatMul"])
        #expect(one.graph.reasonAgainstSeparation(comparedWith: whole.graph, batch.adding(one.types)) == nil)
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
        try expect("(Pad) may compute an image from the others") { net, image in
            guard let pads = try? Tensor([Int64(1), 0, 0, 0, -1, 0, 0, 0], shape: [8]) else { return }
            net.output("y", net.apply(Pad(), [image], [pads]).relu())
        }
        try expect("output \"y\" has no part for each image") { net, image in
            net.output("y", net.apply(Reshape(shape: [-1, 4, 9]), [image]))
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
