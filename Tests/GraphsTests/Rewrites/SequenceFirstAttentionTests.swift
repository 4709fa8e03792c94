import Graphs
import Tensors
import Testing

/// Attention as torch.nn.MultiheadAttention computes it, and PyTorch's exporters write it: rows before the batch.
@Suite("Attention whose rows come before the batch")
struct SequenceFirstAttentionTests {
    typealias Value = GraphBuilder.Value

    private func reshape(_ net: GraphBuilder, _ x: Value, _ shape: [Int64]) -> Value {
        net.apply(Reshape(), [x], [(try? Tensor(shape, shape: [shape.count])) ?? net.never])
    }

    private func transpose(_ net: GraphBuilder, _ x: Value, _ order: [Int]) -> Value {
        net.apply(Transpose(permutation: order), [x])
    }

    /// Rows of 6 numbers, [N, 24, 6].
    private func rows(_ net: GraphBuilder, _ image: Value) -> Value { reshape(net, image, [-1, 24, 6]) }

    /// The block of torchvision's vision transformers: two heads of 3 features, and the sum with its input.
    private func block(_ net: GraphBuilder, _ x: Value, scalesKeys: Bool) -> Value {
        let joined =
            net.apply(MatMul(), [transpose(net, x, [1, 0, 2]), array(net, "weight", [6, 18])])
            + array(net, "bias", [18])
        let parts = net.apply(Unsqueeze(axes: [0]), [reshape(net, joined, [24, -1, 3, 6])])
        let stacks = net.apply(Squeeze(axes: [-2]), [transpose(net, parts, [3, 1, 2, 0, 4])])
        let heads = (0..<3).map { index in
            let number = (try? Tensor([Int64(index)], shape: [])) ?? net.never
            let part = net.apply(Gather(axis: 0), [stacks], [number])
            return reshape(net, transpose(net, reshape(net, part, [24, -1, 3]), [1, 0, 2]), [-1, 2, 24, 3])
        }
        let root = net.constant("root", (try? Tensor([Float(0.75983569)], shape: [1])) ?? net.never)
        var keys = reshape(net, transpose(net, reshape(net, heads[1], [-1, 24, 3]), [0, 2, 1]), [-1, 2, 3, 24])
        var queries = heads[0]
        if scalesKeys {
            queries = net.apply(Mul(), [queries, root])
            keys = net.apply(Mul(), [keys, root])
        }
        let weights = net.apply(Softmax(), [net.apply(MatMul(), [queries, keys])])
        let attended = transpose(net, net.apply(MatMul(), [weights, heads[2]]), [2, 0, 1, 3])
        let last = net.apply(
            Gemm(transB: true),
            [reshape(net, attended, [-1, 6]), array(net, "projection", [6, 6]), array(net, "projection.bias", [6])])
        return transpose(net, reshape(net, last, [24, -1, 6]), [1, 0, 2]) + x
    }

    @Test("becomes one node without a transposition left", arguments: [false, true])
    func multiheadAttention(scalesKeys: Bool) throws {
        let result = try rewritten(with: Rewrites.all) { net, image in
            net.output("y", block(net, rows(net, image), scalesKeys: scalesKeys))
        }
        #expect(
            result.graph.operatorNames == ["Reshape", "MatMul", "ScaledDotProductAttention", "Reshape", "MatMul"])
        let fused = try #require(result.graph.nodes[2].operation as? ScaledDotProductAttention)
        #expect(fused.isBatched && fused.putsRowsFirst && fused.headCount == 2)
        #expect(fused.query.batchStride == 24 * 18 && fused.query.rowStride == 18 && fused.key.offset == 6)
        #expect(abs(fused.scale - (scalesKeys ? 0.57735027 : 1)) < 1e-6)
        #expect(result.graph.nodes[4].fusedOperatorName == "MatMul + Add + Add")
    }

    @Test("a Transpose that other nodes read, or that moves another axis than the batch, stays")
    func otherTransposes() throws {
        let result = try rewritten(with: [MoveBatchTranspose()]) { net, image in
            let x = rows(net, image)
            let first = transpose(net, x, [1, 0, 2])
            net.output("a", net.apply(MatMul(), [first, array(net, "a.weight", [6, 5])]))
            net.output("b", reshape(net, first, [24, -1, 3, 2]))
            net.output("c", net.apply(MatMul(), [transpose(net, x, [0, 2, 1]), array(net, "c.weight", [24, 5])]))
            net.output("d", reshape(net, transpose(net, x, [1, 0, 2]), [-1, 6]))
        }
        #expect(result.changes.isEmpty)
    }

    @Test("Gemm between two Reshapes is MatMul and Add; other Gemms stay")
    func gemm() throws {
        let result = try rewritten(with: [ReplaceGemmByMatMul(), DropNoOpReshape()]) { net, image in
            let x = rows(net, image)
            let weights = array(net, "weight", [6, 5])
            let flat = reshape(net, x, [-1, 6])
            net.output("a", reshape(net, net.apply(Gemm(), [flat, weights]), [-1, 24, 5]))
            let biased = net.apply(Gemm(), [reshape(net, x, [-1, 6]), weights, array(net, "row", [1, 5])])
            net.output("b", reshape(net, biased, [-1, 4, 6, 5]))
            net.output("c", reshape(net, net.apply(Gemm(alpha: 2), [flat, weights]), [-1, 24, 5]))
            net.output("d", reshape(net, net.apply(Gemm(), [flat, weights]), [-1, 12, 10]))
            net.output("e", net.apply(Gemm(), [flat, weights]))
        }
        let names = result.graph.operatorNames
        #expect(names.filter { $0 == "Gemm" }.count == 3)
        #expect(names.filter { $0 == "MatMul" }.count == 2)
        #expect(names.filter { $0 == "Add" }.count == 1)
    }
}
