import Graphs
import Tensors
import Testing

@Suite("Rewriting what lies between DequantizeLinear and QuantizeLinear")
struct UseIntegerArithmeticTests {
    private static let rewrites: [any Rewrite] = [UseIntegerArithmetic(), DropDeadNodes()]

    /// Numbers rounded to multiples of `scale`, a power of two, so that float32 computes without rounding.
    private func rounded(
        _ net: GraphBuilder, _ x: GraphBuilder.Value, _ name: String, scale: Float, zeroPoint: UInt8 = 128
    ) -> GraphBuilder.Value {
        let parameters = parameters(net, name, scale: scale, zeroPoint: zeroPoint)
        return net.apply(DequantizeLinear(), [net.apply(QuantizeLinear(), [x] + parameters)] + parameters)
    }

    private func parameters(
        _ net: GraphBuilder, _ name: String, scale: Float, zeroPoint: UInt8
    ) -> [GraphBuilder.Value] {
        [constant(net, "\(name)/scale", [scale], []), constant(net, "\(name)/zero", [zeroPoint], [])]
    }

    private func constant<Element: TensorElement>(
        _ net: GraphBuilder, _ name: String, _ values: [Element], _ shape: [Int]
    ) -> GraphBuilder.Value {
        net.constant(name, (try? Tensor(values, shape: shape)) ?? net.never)
    }

    /// Weights of 8 bits with a scale for each slice of the first axis.
    private func weights(_ net: GraphBuilder, _ name: String, _ shape: [Int]) -> GraphBuilder.Value {
        let values = (0..<shape.reduce(1, *)).map { Int8(truncatingIfNeeded: $0 &* 37 &- 90) }
        let scales = (0..<shape[0]).map { Float(sign: .plus, exponent: -6 - $0 % 3, significand: 1) }
        return net.apply(
            DequantizeLinear(grid: QuantizationGrid(axis: 0)),
            [
                constant(net, name, values, shape), constant(net, "\(name)/scales", scales, [shape[0]]),
                constant(net, "\(name)/zeros", [Int8](repeating: 0, count: shape[0]), [shape[0]]),
            ])
    }

    @Test("a convolution with an activation takes and gives integers")
    func convolution() throws {
        let result = try rewritten(with: Self.rewrites) { net, image in
            let x = rounded(net, image, "x", scale: 1 / 64)
            let bias = constant(net, "bias", [0.5, -1, 0.25, 2, 0] as [Float], [5])
            let y = net.apply(Conv(pads: [1, 1, 1, 1]), [x, weights(net, "w", [5, 4, 3, 3]), bias])
            net.output("y", rounded(net, net.apply(Relu(), [y]), "y", scale: 1 / 16, zeroPoint: 3))
        }
        #expect(result.graph.operatorNames == ["QuantizeLinear", "IntegerConv", "DequantizeLinear"])
    }

    @Test("a product of quantized matrices takes and gives integers", arguments: [1, 5])
    func product(scaleCount: Int) throws {
        let result = try rewritten(with: Self.rewrites) { net, image in
            let x = parameters(net, "x", scale: 1 / 64, zeroPoint: 128)
            let y = parameters(net, "y", scale: 1 / 4, zeroPoint: 100)
            let integers = (0..<30).map { Int8(truncatingIfNeeded: $0 &* 37 &- 90) }
            let scales = (0..<scaleCount).map { Float(sign: .plus, exponent: -6 - $0 % 3, significand: 1) }
            let shape = scaleCount == 1 ? [] : [scaleCount]
            let weights = [
                constant(net, "w", integers, [6, 5]), constant(net, "w/scale", scales, shape),
                constant(net, "w/zero", [Int8](repeating: 0, count: scaleCount), shape),
            ]
            let rows = net.apply(QuantizeLinear(), [image] + x)
            let product = net.apply(QLinearMatMul(), [rows] + x + weights + y)
            net.output("y", net.apply(DequantizeLinear(), [product] + y))
        }
        let names = result.graph.operatorNames
        #expect(names.contains("IntegerConv") && !names.contains("QLinearMatMul"))
        #expect(result.graph.parameterCount == 30)
    }

    @Test("integers of weights and biases are parameters; scales and zero points are none")
    func parameterCount() throws {
        let graph = try Graph.build("case") { net in
            let x = rounded(net, net.input("image", .float32, [.batch, 4, 6, 6]), "x", scale: 1 / 64)
            let bias = net.apply(
                DequantizeLinear(),
                [constant(net, "b", [Int32](1...5), [5]), constant(net, "b/scale", [Float(1) / 4096], [])])
            let y = net.apply(Conv(), [x, weights(net, "w", [5, 4, 3, 3]), bias])
            net.output("y", rounded(net, y, "y", scale: 1 / 16))
        }
        #expect(graph.parameterCount == 5 * 4 * 9 + 5)
        let integers = try Rewrites.declutter(graph, using: Self.rewrites).graph
        #expect(integers.operatorNames.contains("IntegerConv"))
        #expect(integers.parameterCount == graph.parameterCount)
    }

    @Test("sums, pools and concatenations of integers stay integers")
    func others() throws {
        let result = try rewritten(with: Self.rewrites) { net, image in
            let x = rounded(net, image, "x", scale: 1 / 64)
            let z = rounded(net, image.relu(), "z", scale: 1 / 32, zeroPoint: 0)
            let sum = rounded(net, net.apply(Add(), [x, z]), "sum", scale: 1 / 16)
            let pool = net.apply(MaxPool(kernel: [2, 2]), [sum])
            net.output("pool", rounded(net, pool, "sum2", scale: 1 / 16))
            net.output("both", rounded(net, net.apply(Concat(axis: 1), [x, z]), "both", scale: 1 / 32))
        }
        let names = result.graph.operatorNames
        #expect(names.contains("IntegerAdd") && !names.contains("Add"))
        #expect(names.contains("Lookup"))
        #expect(names.filter { $0 == "DequantizeLinear" }.count == 2)
    }

    @Test("what callers read, or another layer, is computed as it was")
    func shared() throws {
        let result = try rewritten(with: Self.rewrites) { net, image in
            let x = rounded(net, image, "x", scale: 1 / 64)
            let y = net.apply(Conv(), [x, weights(net, "w", [5, 4, 1, 1])])
            net.output("y", y)
            net.output("rounded", rounded(net, y, "y", scale: 1 / 16))
        }
        #expect(result.graph.operatorNames.contains("Conv"))
        #expect(!result.graph.operatorNames.contains("IntegerConv"))
    }

    @Test("a grouped convolution of integers that become numbers is one of numbers, where those hold its sums")
    func groups() throws {
        func names(groups: Int, channels: Int, kernel: Int, hasZeroPoints: Bool) throws -> [String] {
            try rewritten(with: [UseExactFloats(), DropDeadNodes()]) { net, image in
                let copies = [GraphBuilder.Value](repeating: image, count: channels / 4)
                let x = net.apply(Cast(to: .uint8), [net.apply(Abs(), [net.apply(Concat(axis: 1), copies)])])
                let shape = [groups * 2, channels / groups, kernel, kernel]
                let integers = (0..<shape.reduce(1, *)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 5) }
                var inputs = [x, constant(net, "w", integers, shape)]
                if hasZeroPoints {
                    inputs.append(constant(net, "x/zero", [UInt8(3)], []))
                    inputs.append(constant(net, "w/zero", (0..<shape[0]).map { UInt8($0) }, [shape[0]]))
                }
                let sums = net.apply(ConvInteger(Conv(group: groups, pads: [1, 1, 1, 1])), inputs)
                net.output("y", net.apply(Cast(to: .float32), [sums]))
            }.graph.operatorNames
        }
        for hasZeroPoints in [false, true] {
            let found = try names(groups: 4, channels: 4, kernel: 3, hasZeroPoints: hasZeroPoints)
            #expect(found.contains("Conv") && !found.contains("ConvInteger"))
            #expect(found.contains("Sub") == hasZeroPoints)
        }
        #expect(try names(groups: 2, channels: 56, kernel: 3, hasZeroPoints: true).contains("Conv"))
        #expect(try names(groups: 2, channels: 60, kernel: 3, hasZeroPoints: true).contains("ConvInteger"))
        #expect(try names(groups: 1, channels: 4, kernel: 3, hasZeroPoints: true).contains("ConvInteger"))
    }
}
