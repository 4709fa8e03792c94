import Graphs
import Tensors
import Testing

@Suite("Rewrites that replace an operator by others")
struct ReplaceTests {
    typealias Value = GraphBuilder.Value

    @Test("a product that mixes few channels between transposes becomes a convolution", arguments: [false, true])
    func mixedChannels(hasBias: Bool) throws {
        let result = try rewritten(with: [ReplaceMatMulByConv()]) { net, image in
            let pixels = net.apply(Transpose(permutation: [0, 2, 3, 1]), [image])
            var mixed = net.apply(MatMul(), [pixels, array(net, "weights", [4, 5])])
            if hasBias { mixed = array(net, "bias", [5]) + mixed }
            net.output("y", net.apply(Transpose(permutation: [0, 3, 1, 2]), [mixed]))
        }
        #expect(result.graph.operatorNames == ["Conv"])
        #expect(result.graph.nodes[0].inputs.count == (hasBias ? 3 : 2))
    }

    @Test("such a product stays with many channels, another addend, or where something else reads it")
    func otherMixedChannels() throws {
        let result = try rewritten(with: [ReplaceMatMulByConv()]) { net, image in
            func mixed(_ columns: Int, _ change: (Value) -> Value = { $0 }) -> Value {
                let pixels = net.apply(Transpose(permutation: [0, 2, 3, 1]), [image])
                let product = net.apply(MatMul(), [pixels, array(net, "weights \(columns)", [4, columns])])
                return net.apply(Transpose(permutation: [0, 3, 1, 2]), [change(product)])
            }
            net.output("many", mixed(17))
            net.output("addend", mixed(6) { $0 + array(net, "column", [6, 1]) })
            net.output(
                "read",
                mixed(7) {
                    net.output("other", $0)
                    return $0
                })
        }
        #expect(!result.graph.operatorNames.contains("Conv"))
    }

    struct Transposed: CustomTestStringConvertible {
        let operation: ConvTranspose
        let weights: [Int]
        let operators: [String]
        var testDescription: String { "\(operation.attributes), \(weights)" }
    }

    private static let interleaved = [String](repeating: "Conv", count: 4) + ["Concat", "DepthToSpace"]

    @Test(
        "a transposed convolution becomes a convolution for each place of a block of outputs",
        arguments: [
            Transposed(
                operation: .init(kernel: [2, 2], strides: [2, 2]), weights: [4, 3, 2, 2], operators: interleaved),
            Transposed(
                operation: .init(kernel: [4, 4], strides: [2, 2], pads: [1, 1, 1, 1]), weights: [4, 5, 4, 4],
                operators: interleaved),
            Transposed(
                operation: .init(
                    group: 2, kernel: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1], outputPadding: [1, 1]),
                weights: [4, 3, 3, 3], operators: interleaved),
            Transposed(
                operation: .init(kernel: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1]), weights: [4, 3, 3, 3],
                operators: interleaved + ["Slice"]),
            Transposed(
                operation: .init(kernel: [3, 5], pads: [1, 2, 0, 1]), weights: [4, 3, 3, 5], operators: ["Conv"]),
        ])
    func convTranspose(_ transposed: Transposed) throws {
        let result = try rewritten(with: [ReplaceConvTranspose()]) { net, image in
            let features = transposed.weights[1] * transposed.operation.group
            net.output(
                "y",
                net.apply(
                    transposed.operation,
                    [image, array(net, "weights", transposed.weights), array(net, "bias", [features])]))
        }
        #expect(result.graph.operatorNames == transposed.operators)
    }

    @Test("a transposed convolution stays that is dilated, leaves outputs without a tap or has computed weights")
    func otherConvTranspose() throws {
        let result = try rewritten(with: [ReplaceConvTranspose()]) { net, image in
            let weights = array(net, "weights", [4, 3, 2, 2])
            net.output("a", net.apply(ConvTranspose(kernel: [2, 2], dilations: [2, 2]), [image, weights]))
            net.output("b", net.apply(ConvTranspose(kernel: [2, 2], strides: [3, 3]), [image, weights]))
            net.output("c", net.apply(ConvTranspose(kernel: [2, 2], strides: [1, 2]), [image, weights]))
            net.output("d", net.apply(ConvTranspose(kernel: [2, 2]), [image, weights.relu()]))
        }
        #expect(result.changes.isEmpty)
    }

    @Test("a batch normalisation of tokens becomes a product and a sum, and that of pictures stays")
    func batchNormalization() throws {
        let result = try rewritten(with: [ReplaceBatchNormalization()]) { net, image in
            func normalized(_ value: Value, _ name: String, _ channels: Int) -> Value {
                net.apply(
                    BatchNormalization(),
                    [value] + ["scale", "bias", "mean"].map { array(net, "\(name).\($0)", [channels]) } + [
                        net.constant(
                            "\(name).variance",
                            (try? Tensor([Float](repeating: 0.7, count: channels), shape: [channels])) ?? net.never)
                    ])
            }
            net.output("tokens", normalized(tokens(net, image), "a", 36))
            net.output("rows", normalized(net.apply(Flatten(axis: 1), [image]), "b", 144))
            net.output("pictures", normalized(image, "c", 4))
        }
        #expect(result.graph.operatorNames.filter { $0 == "BatchNormalization" }.count == 1)
        #expect(result.changes.count == 2)
    }

    @Test(
        "an Einsum of two stacks of matrices becomes a MatMul",
        arguments: [
            ("bij,bjk->bik", ["MatMul"]), ("bij,bkj->bik", ["Transpose", "MatMul"]),
            ("bji,bjk->bki", ["Transpose", "MatMul", "Transpose"]),
        ])
    func einsum(equation: String, operators: [String]) throws {
        let einsum = try Einsum(equation: equation)
        let result = try rewritten(with: [ReplaceEinsumByMatMul()]) { net, image in
            let x = tokens(net, image)
            let other =
                equation.contains("bjk") && !equation.contains("bji")
                ? net.apply(Transpose(permutation: [0, 2, 1]), [x]) : x
            net.output("y", net.apply(einsum, [x, other.relu()]))
        }
        #expect(result.changes.count == 1)
        let kept = result.graph.operatorNames.drop { $0 != "Relu" }.dropFirst()
        #expect(Array(kept) == operators)
    }

    @Test("an Einsum stays that repeats a label, sums two labels or keeps no row")
    func otherEinsum() throws {
        let einsums = try ["bij,bij->b", "bij,bij->bij", "bij->bji"].map { try Einsum(equation: $0) }
        let result = try rewritten(with: [ReplaceEinsumByMatMul()]) { net, image in
            let x = tokens(net, image)
            for einsum in einsums {
                let operands = einsum.equation.contains(",") ? [x, x.relu()] : [x]
                net.output(einsum.equation, net.apply(einsum, operands))
            }
        }
        #expect(result.changes.isEmpty)
    }

    @Test("a Reshape moves behind a sum with a row, so that the row becomes the product's bias")
    func reshape() throws {
        let result = try rewritten(with: [MoveReshape(), FuseProductBias()]) { net, image in
            let product = net.apply(MatMul(), [tokens(net, image), array(net, "weights", [4, 8])])
            let shape = (try? Tensor([Int64(0), 6, 6, 8], shape: [4])) ?? net.never
            let reshaped = net.apply(Reshape(), [product, net.constant("shape", shape)])
            net.output("y", reshaped + array(net, "row", [8]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "Transpose", "MatMul", "Reshape"])
        #expect(result.graph.nodes[2].inputs.count == 3)
    }

    @Test("a Reshape stays before a sum with numbers that are no row, and where the last axis changes")
    func otherReshape() throws {
        let result = try rewritten(with: [MoveReshape()]) { net, image in
            let rows = tokens(net, image)
            func reshaped(_ name: String, _ shape: [Int64]) -> Value {
                let shape = (try? Tensor(shape, shape: [shape.count])) ?? net.never
                return net.apply(Reshape(), [rows.relu(), net.constant(name, shape)])
            }
            net.output("a", reshaped("s", [0, 6, 6, 4]) + array(net, "column", [6, 1]))
            net.output("b", reshaped("t", [0, 4, 36]) + array(net, "row", [36]))
        }
        #expect(result.changes.isEmpty)
    }
}
