import Graphs
import Tensors
import Testing

@Suite("Products with weights of 8 and 4 bits take in what surrounds them")
struct NarrowProductRewriteTests {
    typealias Value = GraphBuilder.Value

    private func constant<Element: TensorElement>(
        _ net: GraphBuilder, _ name: String, _ values: [Element], _ shape: [Int]
    ) -> Value {
        net.constant(name, (try? Tensor(values, shape: shape)) ?? net.never)
    }

    /// [N, 4, 6, 6] → [N, 24, 6]
    private func rows(_ net: GraphBuilder, _ image: Value) -> Value { net.apply(Reshape(shape: [0, 24, 6]), [image]) }

    private func weights(_ net: GraphBuilder) -> Value {
        constant(net, "weights", (0..<30).map { Int8($0 * 7 % 50 - 25) }, [6, 5])
    }

    private func scales(_ net: GraphBuilder, _ shape: [Int] = [5]) -> Value {
        constant(net, "scales", (0..<shape.reduce(1, *)).map { 0.01 + Float($0) / 100 }, shape)
    }

    private func bias(_ net: GraphBuilder) -> Value { constant(net, "bias", [1, -2, 3, -4, 5] as [Float], [5]) }

    /// The integers and scales of rows.
    private func quantized(_ net: GraphBuilder, _ x: Value, least: Float = 0x1p-126, axis: Int = -1) -> (Value, Value) {
        let largest = net.apply(ReduceMax(axes: ReductionAxes(axes: [axis])), [net.apply(Abs(), [x])])
        let scale = net.apply(
            Max(),
            [
                net.apply(Div(), [largest, constant(net, "range", [127 as Float], [])]),
                constant(net, "least", [least], []),
            ])
        return (net.apply(Cast(to: .int8), [net.apply(Round(), [net.apply(Div(), [x, scale])])]), scale)
    }

    private let rewrites: [any Rewrite] = [
        FuseQuantizedProduct(), DropDeadNodes(), FuseElementwiseFunction(), FuseNarrowProductAddend(),
        FuseActivation(), FuseCurvedActivation(), DropDeadNodes(),
    ]

    @Test("A scale for each row, then bias and activation", arguments: [-1, 2])
    func byRow(axis: Int) throws {
        let result = try rewritten(with: rewrites) { net, image in
            let (integers, scale) = quantized(net, rows(net, image), axis: axis)
            let sums = net.apply(Cast(to: .float32), [net.apply(MatMulInteger(), [integers, weights(net)])])
            let product = net.apply(Mul(), [net.apply(Mul(), [sums, scale]), scales(net)])
            net.output("y", net.apply(Gelu(), [product + bias(net)]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "QuantizedMatMul"])
        let product = try #require(result.graph.nodes[1].operation as? QuantizedMatMul)
        #expect(product.quantization == .byRow && product.activation == .gelu(isApproximate: false))
        #expect(result.graph.nodes[1].inputs.count == 4)
    }

    @Test("Other scales of rows stay as they are")
    func otherScales() throws {
        let result = try rewritten(with: rewrites) { net, image in
            let (integers, scale) = quantized(net, rows(net, image), least: 1e-6)
            let sums = net.apply(Cast(to: .float32), [net.apply(MatMulInteger(), [integers, weights(net)])])
            net.output("y", net.apply(Mul(), [net.apply(Mul(), [sums, scale]), scales(net)]))
        }
        #expect(result.graph.operatorNames.contains("MatMulInteger"))
    }

    @Test("A value with one scale for all, and a shortcut", arguments: [[], [5]])
    func whole(shape: [Int]) throws {
        let result = try rewritten(with: rewrites) { net, image in
            let x = rows(net, image)
            let parts = net.append(DynamicQuantizeLinear(), kind: "quantization", [x], resultCount: 3)
            let sums = net.apply(
                Cast(to: .float32),
                [net.apply(MatMulInteger(), [parts[0], weights(net), parts[2], constant(net, "zero", [Int8(0)], [])])])
            let product = net.apply(Mul(), [sums, net.apply(Mul(), [parts[1], scales(net, shape)])]) + bias(net)
            net.output("y", product + net.apply(Slice(starts: [0], ends: [5], axes: [2]), [x]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "Slice", "QuantizedMatMul"])
        let product = try #require(result.graph.nodes[2].operation as? QuantizedMatMul)
        #expect(product.quantization == .whole && result.graph.nodes[2].inputs.count == 5)
    }

    @Test("Products of dequantized values, whose results are not quantized", arguments: [false, true])
    func fixed(isTransposed: Bool) throws {
        let result = try rewritten(with: rewrites) { net, image in
            let x = net.apply(Reshape(shape: [-1, 6]), [image])
            let parameters = [
                constant(net, "step", [0.03 as Float], []), constant(net, "point", [UInt8(120)], []),
            ]
            let integers = net.apply(QuantizeLinear(), [x] + parameters)
            let matrix = constant(
                net, "weights", (0..<30).map { Int8($0 * 7 % 50 - 25) }, isTransposed ? [5, 6] : [6, 5])
            let grid = QuantizationGrid(axis: isTransposed ? 0 : 1)
            let numbers = net.apply(
                DequantizeLinear(grid: grid),
                [matrix, scales(net), constant(net, "zeros", [Int8](repeating: 0, count: 5), [5])])
            let rounded = net.apply(DequantizeLinear(), [integers] + parameters)
            net.output("y", net.apply(Gemm(transB: isTransposed), [rounded, numbers, bias(net)]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "QuantizedMatMul"])
        let product = try #require(result.graph.nodes[1].operation as? QuantizedMatMul)
        #expect(product.quantization == .fixed(scale: 0.03, zeroPoint: 120, elementType: .uint8))
    }

    @Test("Weights of 4 bits take in bias, shortcut and activation")
    func nibbles() throws {
        let result = try rewritten(with: rewrites) { net, image in
            let x = rows(net, image)
            let bytes = constant(net, "bytes", (0..<40).map { UInt8($0 * 37 % 256) }, [5, 1, 8])
            let product = net.apply(MatMulNBits(depth: 6, columns: 5, blockSize: 16), [x, bytes, scales(net)])
            net.output(
                "y",
                (bias(net) + product + net.apply(Slice(starts: [0], ends: [5], axes: [2]), [x])).relu())
        }
        #expect(result.graph.operatorNames == ["Reshape", "Slice", "MatMulNBits"])
        #expect((result.graph.nodes[2].operation as? MatMulNBits)?.activation == .relu)
    }
}
