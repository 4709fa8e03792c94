import Graphs
import Tensors

extension Graph {
    /// The network with 8-bit weights in products of rows, which are quantized while the network runs.
    ///
    /// Weights have a scale for each output channel, and rows, such as tokens, one of their own, so that the result of
    /// a row depends on no other row. It is written in operators that every runtime of ONNX has:
    ///
    ///     s = max(max |x| / 127, 2⁻¹²⁶) along the last axis
    ///     y = MatMulInteger(int8(round(x / s)), weights) · s · scales
    ///
    /// DynamicQuantizeLinear has one scale for the whole value, batch included.
    ///
    /// - Returns: The network, and the products whose weights have 8 bits.
    func quantizedByRow() throws -> (graph: Graph, products: [NarrowProduct]) {
        var shared: [ValueID: (integers: ValueID, scale: ValueID)] = [:]
        var constants: [ValueID]?
        return try replacingProducts { graph, node, product in
            guard let x = node.inputs[0], let output = node.outputs[0] else { throw OperatorError.invalid("no input") }
            let name = graph[output].name
            let numbers =
                try constants ?? [
                    graph.addInitializer("quantization/last_axis", try .constant([Int64(-1)], shape: [1])),
                    graph.addInitializer(
                        "quantization/largest_integer", try Tensor([InputQuantization.largestInteger], shape: [])),
                    graph.addInitializer(
                        "quantization/minimum_scale", try Tensor([InputQuantization.minimumScale], shape: [])),
                ]
            constants = numbers
            let (integers, scale) = shared[x] ?? graph.quantizeRows(x, constants: numbers)
            shared[x] = (integers, scale)
            let (rounded, scales) = try product.rounded()
            let weights = graph.addInitializer("\(name)/weights", rounded)
            let factors = graph.addInitializer("\(name)/scales", scales)
            let sums = graph.append(MatMulInteger(), [integers, weights], named: "\(name)/sums", .int32)
            let products = graph.append(Cast(to: .float32), [sums], named: "\(name)/products")
            let scaled = graph.append(Mul(), [products, scale], named: "\(name)/scaled_rows")
            return graph.append(Mul(), [scaled, factors], named: "\(name)/scaled")
        }
    }

    /// Appends the quantization of each row of a value: its integers and scales.
    private mutating func quantizeRows(
        _ x: ValueID, constants: [ValueID]
    ) -> (integers: ValueID, scale: ValueID) {
        let name = self[x].name
        let magnitudes = append(Abs(), [x], named: "\(name)/magnitudes")
        let largest = append(
            ReduceMax(axes: ReductionAxes()), [magnitudes, constants[0]], named: "\(name)/largest")
        let quotient = append(Div(), [largest, constants[1]], named: "\(name)/step")
        let scale = append(Max(), [quotient, constants[2]], named: "\(name)/scale")
        let quotients = append(Div(), [x, scale], named: "\(name)/quotients")
        let rounded = append(Round(), [quotients], named: "\(name)/rounded")
        return (append(Cast(to: .int8), [rounded], named: "\(name)/integers", .int8), scale)
    }
}

extension NarrowProduct {
    /// The weights as 8-bit integers [K, N], and the scale of each output channel.
    fileprivate func rounded() throws -> (weights: Tensor, scales: Tensor) {
        var scales: [Float] = []
        var integers = [Int8](repeating: 0, count: depth * columns)
        for column in 0..<columns {
            let numbers = self.column(column)
            let largest = numbers.reduce(0) { max($0, abs($1)) }
            let scale = largest == 0 ? 1 : max(largest / 127, .leastNormalMagnitude)
            for (k, number) in numbers.enumerated() {
                integers[k * columns + column] = Int8(min(max((number / scale).rounded(.toNearestOrEven), -127), 127))
            }
            scales.append(scale * alpha)
        }
        return (try Tensor(integers, shape: [depth, columns]), try Tensor(scales, shape: [columns]))
    }
}
