import Graphs
import Tensors
import Testing

@Suite("Rewrites that merge neighbours")
struct MergeTests {
    @Test("1×1 convolutions of one value that convolutions and poolings read become one")
    func siblings() throws {
        let result = try rewritten(with: [FuseActivation(), MergeSiblingConvolutions()]) { net, image in
            let first = image.convolution(3, kernel: 1).relu()
            net.output("a", first.convolution(4, kernel: 3, padding: .same))
            let second = image.convolution(5, kernel: 1, bias: false).relu()
            net.output("b", second.convolution(2, kernel: 3))
            net.output("c", second.maxPool(2))
        }
        #expect(result.graph.operatorNames == ["Conv", "Split", "Conv", "Conv", "MaxPool"])
        #expect(result.graph.nodes[0].name == "convolution1+convolution3")
        #expect((result.graph.nodes[1].operation as? Split)?.extents == [3, 5])
        #expect((result.graph.nodes[0].operation as? Conv)?.activation == .relu)
    }

    @Test("convolutions stay apart that differ, that are joined, given, added to or read by something else")
    func noSiblings() throws {
        let result = try rewritten(with: [FuseActivation(), FuseAddend(), MergeSiblingConvolutions()]) { net, image in
            func read(_ name: String, _ value: GraphBuilder.Value) { net.output(name, value.maxPool(2)) }
            read("a", image.convolution(3, kernel: 1))
            read("b", image.convolution(3, kernel: 1).relu())
            read("c", image.convolution(3, kernel: 1, stride: 2))
            read("d", image.convolution(3, kernel: 1, padding: .explicit(1)))
            read("e", image.convolution(4, kernel: 1, groups: 2))
            read("f", image.convolution(4, kernel: 1) + image)
            net.output("g", image.convolution(3, kernel: 1))
            net.output("h", image.convolution(3, kernel: 1).sigmoid())
            net.output("i", net.apply(Concat(axis: 1), [image.convolution(3, kernel: 1), image]))
        }
        #expect(!result.changes.contains { $0.contains("merged with") })
    }

    @Test("a concatenation reads the longest earlier one of its first inputs, along the same axis")
    func nestedConcatenations() throws {
        let result = try rewritten(with: [ShareConcatPrefix()]) { net, image in
            let (a, b, c) = (image.relu(), image.sigmoid(), image.tanh())
            net.output("ab", net.apply(Concat(axis: 1), [a, b]))
            net.output("abc", net.apply(Concat(axis: 1), [a, b, c]))
            net.output("abca", net.apply(Concat(axis: 1), [a, b, c, a]))
            net.output("abb", net.apply(Concat(axis: 1), [a, b, b]))
            net.output("acb", net.apply(Concat(axis: 1), [a, c, b]))
            net.output("high", net.apply(Concat(axis: 2), [a, b, c]))
        }
        let concatenations = result.graph.nodes.filter { $0.operation is Concat }
        let inputs = concatenations.map { $0.inputs.compactMap { $0.map { result.graph[$0].name } } }
        #expect(inputs.map(\.count) == [2, 2, 2, 2, 3, 3])
        #expect(inputs[1][0] == "ab" && inputs[2][0] == "abc" && inputs[3][0] == "ab")
    }

    @Test("in an Inception module the reductions merge, and the branch that is joined as it is stays apart")
    func inceptionModule() throws {
        let result = try rewritten(with: Rewrites.all) { net, image in
            net.output(
                "y",
                image.branches(
                    { $0.convolution(4, kernel: 1).relu() },
                    { $0.convolution(3, kernel: 1).relu().convolution(4, kernel: 3, padding: .same).relu() },
                    { $0.convolution(2, kernel: 1).relu().convolution(4, kernel: 5, padding: .same).relu() },
                    { $0.maxPool(3, stride: 1, padding: .same).convolution(4, kernel: 1).relu() }))
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Split", "Conv", "Conv", "MaxPool", "Conv", "Concat"])
    }

    @Test("Relu and Clip after one another become one")
    func activations() throws {
        let result = try rewritten(with: [FuseActivation()]) { net, image in
            func clip(_ value: GraphBuilder.Value, _ low: Float, _ high: Float) -> GraphBuilder.Value {
                net.apply(Clip(min: low, max: high), [value])
            }
            net.output("a", clip(image.convolution(4, kernel: 1).relu(), -1, 0.5))
            net.output("b", clip(clip(image.convolution(4, kernel: 1), -0.5, 0.5), 0.25, 2))
            net.output("c", clip(clip(image.convolution(4, kernel: 1), -0.5, 0.5), 1, 2))
            net.output("d", image.convolution(4, kernel: 1).relu().relu())
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Conv", "Conv"])
        let activations = result.graph.nodes.compactMap { ($0.operation as? any ActivationFusing)?.activation }
        #expect(
            activations == [.clip(low: 0, high: 0.5), .clip(low: 0.25, high: 0.5), .clip(low: 1, high: 1), .relu])
    }

    @Test("padding that cannot win merges into maximum poolings")
    func maximumPadding() throws {
        let result = try rewritten(with: [FuseActivation(), MergePad()]) { net, image in
            func padded(_ value: GraphBuilder.Value, _ pad: Float) -> GraphBuilder.Value {
                net.apply(Pad(pads: [0, 0, 1, 1, 0, 0, 1, 1], value: pad), [value])
            }
            let features = image.convolution(3, kernel: 1)
            net.output("a", padded(features.relu(), 0).maxPool(3, stride: 2))
            net.output("b", padded(image.sigmoid().relu(), 0).maxPool(2))
            net.output("c", padded(image, -.infinity).maxPool(3))
            net.output("d", padded(image, 0).maxPool(3))
            net.output("e", padded(image.relu(), 0).maxPool(1))
        }
        #expect(result.graph.operatorNames.count { $0 == "Pad" } == 2)
    }

    @Test("what scales and shifts channels folds into the convolution after it")
    func beforeConvolution() throws {
        let result = try rewritten(with: [FoldIntoNextConvolution()]) { net, image in
            net.output("a", image.batchNormalization().convolution(3, kernel: 3))
            net.output(
                "b", (image * array(net, "scale", [4, 1, 1])).convolution(6, kernel: 3, padding: .same, groups: 2))
            net.output(
                "c", net.apply(Sub(), [image, array(net, "mean", [4, 1, 1])]).convolution(3, kernel: 3, bias: false))
            net.output("d", (image * array(net, "unbiased", [1, 4, 1, 1])).convolution(3, kernel: 1, bias: false))
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Conv", "Conv"])
        #expect(result.graph.nodes.map { $0.inputs.count } == [3, 3, 3, 2])
    }

    @Test("nothing folds into the convolution after it that is shared, broadcast, or shifts what is padded")
    func notBeforeConvolution() throws {
        let result = try rewritten(with: [FoldIntoNextConvolution()]) { net, image in
            net.output("a", image.batchNormalization().convolution(3, kernel: 3, padding: .same))
            let shared = image * array(net, "scale", [4, 1, 1])
            net.output("b", shared.convolution(3, kernel: 3))
            net.output("c", shared.sigmoid())
            let single = image.convolution(1, kernel: 1).sigmoid()
            net.output("d", (single * array(net, "channels", [4, 1, 1])).convolution(3, kernel: 1))
            net.output("e", (image * array(net, "pixels", [6, 6])).convolution(3, kernel: 1))
        }
        #expect(result.changes.isEmpty)
    }

    @Test("branches of convolutions, of a normalisation and of the value itself that are added become one convolution")
    func addedBranches() throws {
        let branches: [any Rewrite] = [FoldBatchNormalization(), MergeAddedConvolutions(), FuseActivation()]
        let result = try rewritten(with: branches) { net, image in
            func branch(_ kernel: Int, _ value: GraphBuilder.Value, groups: Int = 1) -> GraphBuilder.Value {
                value.convolution(4, kernel: kernel, padding: .same, groups: groups, bias: false).batchNormalization()
            }
            let first = (branch(3, image) + branch(1, image) + image.batchNormalization()).relu()
            let second = (branch(1, first, groups: 4) + first + branch(5, first, groups: 4)).relu()
            net.output("y", net.apply(Sub(), [second.batchNormalization(), branch(3, second, groups: 2)]))
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Conv"])
        let kernels = result.graph.nodes.compactMap { ($0.operation as? Conv)?.window.kernel }
        #expect(kernels == [[3, 3], [5, 5], [3, 3]])
    }

    @Test("added convolutions stay apart that differ in input, stride or groups, or that something else reads")
    func noAddedBranches() throws {
        let result = try rewritten(with: [MergeAddedConvolutions()]) { net, image in
            net.output("a", image.convolution(4, kernel: 3, padding: .same) + image.relu().convolution(4, kernel: 1))
            net.output("b", image.convolution(4, kernel: 1) + image.convolution(4, kernel: 1, groups: 2))
            net.output(
                "c", image.convolution(4, kernel: 2, stride: 2) + image.convolution(4, kernel: 4).maxPool(1))
            let read = image.convolution(4, kernel: 3, padding: .same)
            net.output("d", read)
            net.output("e", read + image.convolution(4, kernel: 1))
            net.output("f", image.convolution(4, kernel: 3, stride: 1, padding: .same) + image)
        }
        #expect(result.changes.isEmpty)
    }
}
