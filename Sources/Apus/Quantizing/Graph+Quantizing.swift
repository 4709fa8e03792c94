import Graphs
import Tensors

extension Graph {
    /// The network with rounded values and weights, written as pairs of QuantizeLinear and DequantizeLinear.
    ///
    /// - Parameters:
    ///   - plan: Which values and weights are rounded.
    ///   - limits: The least and the largest number of each value that has a scale of its own.
    func quantized(_ plan: QuantizationPlan, limits: [ValueID: (low: Float, high: Float)]) throws -> Graph {
        var result = self
        result.nodes = []
        var rounded: [ValueID: ValueID] = [:]
        var scales: [ValueID: (scale: Float, zeroPoint: UInt8)] = [:]
        let wanted = Dictionary(plan.values.map { ($0.id, $0.scaleOf) }, uniquingKeysWith: { first, _ in first })
        func round(_ id: ValueID) throws {
            guard let owner = wanted[id], let limit = limits[owner] else { return }
            let scale = max((limit.high - limit.low) / 255, .leastNormalMagnitude)
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
                try result.quantizeWeights(of: &node, inputScale: parameters.scale)
            }
            result.nodes.append(node)
            for case let output? in node.outputs { try round(output) }
        }
        let read = Set(result.nodes.flatMap { $0.inputs.compactMap { $0 } } + result.outputs)
        result.initializers = result.initializers.filter { read.contains($0.key) }
        return result
    }

    /// Gives a product weights of 8 bits with a scale for each output channel, and a bias of 32 bits.
    private mutating func quantizeWeights(of node: inout Node, inputScale: Float) throws {
        guard let id = node.inputs[1], let weights = initializers[id] else { return }
        let isTransposed = (node.operation as? Gemm).map { !$0.transB } ?? false
        let axis = isTransposed ? 1 : 0
        let channels = weights.shape[axis]
        let inner = weights.shape[(axis + 1)...].reduce(1, *)
        let numbers = weights.elements(as: Float.self)
        var largest = [Float](repeating: 0, count: channels)
        for (index, number) in numbers.enumerated() {
            let channel = index / inner % channels
            largest[channel] = max(largest[channel], abs(number))
        }
        let scales = largest.map { max($0 / 127, 1e-12) }
        let integers = numbers.enumerated().map { index, number in
            Int8(min(max((number / scales[index / inner % channels]).rounded(.toNearestOrEven), -127), 127))
        }
        let name = self[id].name
        node.inputs[1] = try addDequantized(
            "\(name)/\(node.name)", try Tensor(integers, shape: weights.shape), scales, axis: axis)
        guard node.inputs.count > 2, let biasID = node.inputs[2],
            let bias = initializers[biasID]?.elements(as: Float.self), bias.count == channels
        else { return }
        let sumScales = scales.map { $0 * inputScale }
        let sums = zip(bias, sumScales).map { number, scale in
            Int32(min(max((Double(number) / Double(scale)).rounded(.toNearestOrEven), -0x1p30), 0x1p30))
        }
        node.inputs[2] = try addDequantized(
            "\(self[biasID].name)/\(node.name)", try Tensor(sums, shape: [channels]), sumScales, axis: 0)
    }

    /// Adds integers and the DequantizeLinear that makes numbers of them.
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
