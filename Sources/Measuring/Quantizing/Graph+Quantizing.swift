import Graphs
import Platform
import Tensors

extension Graph {
    /// The network with quantized values and weights, written as pairs of QuantizeLinear and DequantizeLinear.
    ///
    /// - Parameters:
    ///   - plan: The values and weights to quantize.
    ///   - limits: The range of each value that has its own scale, without values whose range is empty. These, and the
    ///     products that read them, stay as they are.
    ///   - means: The channel means of the inputs of products.
    package func quantized(
        _ plan: QuantizationPlan, limits: [ValueID: (low: Float, high: Float)], means: [ValueID: [Double]]
    ) throws -> Graph {
        var result = self
        result.nodes = []
        var rounded: [ValueID: ValueID] = [:]
        var scales: [ValueID: (scale: Float, zeroPoint: UInt8)] = [:]
        let wanted = Dictionary(plan.values.map { ($0.id, $0.scaleOf) }, uniquingKeysWith: { first, _ in first })
        func round(_ id: ValueID) throws {
            guard let owner = wanted[id], let limit = limits[owner] else { return }
            let scale = (limit.high - limit.low) / 255
            let zeroPoint = UInt8(min(max((-limit.low / scale).rounded(), 0), 255))
            scales[id] = (scale, zeroPoint)
            let name = self[id].name
            let parameters = [
                result.addInitializer("\(name)/scale", try Tensor([scale], shape: [])),
                result.addInitializer("\(name)/zero_point", try Tensor([zeroPoint], shape: [])),
            ]
            let integers = result.addValue("\(name)/integers", elementType: .uint8)
            let numbers = result.addValue("\(name)/rounded", elementType: .float32)
            result.nodes.append(
                Node(
                    name: "\(name)/quantize", operation: QuantizeLinear(), inputs: [id] + parameters,
                    outputs: [integers]))
            result.nodes.append(
                Node(
                    name: "\(name)/dequantize", operation: DequantizeLinear(), inputs: [integers] + parameters,
                    outputs: [numbers]))
            rounded[id] = numbers
        }
        for id in inputs { try round(id) }
        for (index, node) in nodes.enumerated() {
            var node = node
            let input = node.inputs.first ?? nil
            node.inputs = node.inputs.map { id in id.map { rounded[$0] ?? $0 } }
            if plan.products.contains(index), let input, let parameters = scales[input] {
                try result.quantizeWeights(
                    of: &node, inputScale: parameters.scale, inputMeans: means[input] ?? [])
            }
            result.nodes.append(node)
            for case let output? in node.outputs { try round(output) }
        }
        let read = Set(result.nodes.flatMap { $0.inputs.compactMap { $0 } } + result.outputs)
        result.initializers = result.initializers.filter { read.contains($0.key) }
        return result
    }

    /// Gives a product 8-bit weights with a scale for each output channel, and a 32-bit bias.
    private mutating func quantizeWeights(
        of node: inout Node, inputScale: Float, inputMeans: [Double]
    ) throws {
        guard let id = node.inputs[1], let weights = initializers[id] else { return }
        let isTransposed = (node.operation as? Gemm).map { !$0.transB } ?? (node.operation is MatMul)
        let axis = isTransposed ? 1 : 0
        let channels = weights.shape[axis]
        let numbers = weights.elements(as: Float.self)
        let bias = (node.inputs.count > 2 ? node.inputs[2] : nil).flatMap { id in
            initializers[id].map { (name: self[id].name, numbers: $0.elements(as: Float.self)) }
        }
        guard (numbers + (bias?.numbers ?? [])).allSatisfy(\.isFinite) else {
            throw ApusError.usage("\(node.name.printable): weights that are not finite cannot be rounded")
        }
        // The weights of one output channel, and their indices in the tensor.
        let depth = channels == 0 ? 0 : numbers.count / channels
        let (channelStride, stride) = isTransposed ? (1, channels) : (depth, 1)
        let inputChannels = weights.shape[1 - axis]
        let taps = depth / max(inputChannels, 1)
        let groupWidth = channels / max((node.operation as? Conv)?.group ?? 1, 1)
        var scales = [Float](repeating: 0, count: channels)
        var integers = [Int8](repeating: 0, count: numbers.count)
        for channel in 0..<channels {
            let places = (0..<depth).map { channel * channelStride + $0 * stride }
            let largest = places.reduce(0) { max($0, abs(numbers[$1])) }
            let number = bias.map { $0.numbers.count == channels ? $0.numbers[channel] : 0 } ?? 0
            scales[channel] = Self.weightScale(largest: largest, bias: number, inputScale: inputScale)
            let firstInput = channel / max(groupWidth, 1) * inputChannels
            let rounded = FilterRounding.round(
                places.map { Double(numbers[$0] / scales[channel]) },
                means: (0..<depth).map { k in
                    let input = firstInput + k / max(taps, 1)
                    return inputMeans.indices.contains(input) ? inputMeans[input] : 0
                })
            for (place, integer) in zip(places, rounded) { integers[place] = integer }
        }
        let name = self[id].name
        node.inputs[1] = try addDequantized(
            "\(name)/\(node.name)", try Tensor(integers, shape: weights.shape), scales, axis: axis)
        guard let bias, bias.numbers.count == channels else { return }
        let sumScales = scales.map { max($0 * inputScale, .leastNormalMagnitude) }
        let sums = zip(bias.numbers, sumScales).map { number, scale in
            Int32(saturating: (Double(number) / Double(scale)).rounded(.toNearestOrEven))
        }
        node.inputs[2] = try addDequantized(
            "\(bias.name)/\(node.name)", try Tensor(sums, shape: [channels]), sumScales, axis: 0)
    }

    /// The scale of a channel's weights: that of the largest, or a larger one where the bias would need an integer of
    /// more than 31 bits.
    ///
    /// Such a channel is almost its bias. With K weights, integers of 8 bits move its results by at most K · 2⁻²³ of
    /// the bias.
    package static func weightScale(largest: Float, bias: Float, inputScale: Float) -> Float {
        let sum = Double(max(abs(bias) * 0x1p-30, .leastNormalMagnitude))
        let least = min(sum / Double(inputScale), Double(Float.greatestFiniteMagnitude))
        return max(largest / 127, Float(least), largest == 0 ? 1e-12 : .leastNormalMagnitude)
    }

    /// Adds integers and the DequantizeLinear that converts them.
    private mutating func addDequantized(
        _ name: String, _ integers: Tensor, _ scales: [Float], axis: Int
    ) throws -> ValueID {
        let zeros = try Tensor(zeros: integers.elementType, shape: [scales.count])
        let inputs = [
            addInitializer("\(name)/integers", integers),
            addInitializer("\(name)/scale", try Tensor(scales, shape: [scales.count])),
            addInitializer("\(name)/zero_point", zeros),
        ]
        let numbers = addValue("\(name)/numbers", elementType: .float32)
        nodes.append(
            Node(
                name: "\(name)/dequantize", operation: DequantizeLinear(grid: QuantizationGrid(axis: axis)),
                inputs: inputs, outputs: [numbers]))
        return numbers
    }
}
