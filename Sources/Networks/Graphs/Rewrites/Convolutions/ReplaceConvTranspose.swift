import Tensors

/// Replaces a transposed convolution of pictures by convolutions, whose results are interleaved.
///
/// With stride s, the result at o = s · m + r depends on the taps t with t ≡ r + pad (mod s) alone. The results of one
/// remainder r are therefore a convolution of the input with those taps, in reverse order:
///
/// y[s · m + r] = Σ_j x[m + ⌊(r + pad) / s⌋ − j] · w[(r + pad) mod s + s · j]
///
/// Legal for float32 and float64 when both strides are the same, nothing is dilated, weights and bias are constants,
/// the weights finite, every remainder has a tap, and no convolution would need negative padding.
package struct ReplaceConvTranspose: NodeRewrite {
    package static let name = "ReplaceConvTranspose"
    package static let summary = "Replaces a transposed convolution by convolutions whose results are interleaved."

    package init() {}

    /// The taps of one axis for one remainder.
    private struct Phase {
        /// In the order of the convolution.
        let taps: [Int]
        let padBegin: Int
        let padEnd: Int

        init?(remainder: Int, _ geometry: SpatialWindow.Geometry, axis: Int) {
            let (stride, kernel) = (geometry.strides[axis], geometry.kernel[axis])
            let (distance, first) = (remainder + geometry.padsBegin[axis]).quotientAndRemainder(dividingBy: stride)
            taps = Array(Swift.stride(from: first, to: kernel, by: stride).reversed())
            padBegin = taps.count - 1 - distance
            let count = (geometry.output[axis] + stride - 1) / stride
            padEnd = count - geometry.input[axis] - padBegin + taps.count - 1
            guard !taps.isEmpty, padBegin >= 0, padEnd >= 0 else { return nil }
        }
    }

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let operation = node.operation as? ConvTranspose, let input = node.inputs[0],
            let type = edit.type(input), type.shape.rank == 4, let weights = edit.constant(node.inputs[1]),
            weights.shape.count == 4, weights.elementType == .float32 || weights.elementType == .float64,
            (try? edit.isFinite(weights)) ?? false,
            let height = type.shape.dimensions[2].value, let width = type.shape.dimensions[3].value,
            let geometry = try? operation.geometry(x: [1, weights.shape[0], height, width], w: weights.shape),
            geometry.dilations == [1, 1], geometry.strides[0] == geometry.strides[1]
        else { return }
        let bias = node.inputs.count > 2 ? node.inputs[2] : nil
        guard bias == nil || edit.constant(bias) != nil else { return }
        let stride = geometry.strides[0]
        guard stride <= 8 else { return }
        var phases: [(row: Phase, column: Phase)] = []
        for place in 0..<stride * stride {
            guard let row = Phase(remainder: place / stride, geometry, axis: 0),
                let column = Phase(remainder: place % stride, geometry, axis: 1)
            else { return }
            phases.append((row, column))
        }
        var nodes: [Graph.Node] = []
        var results: [Graph.ValueID] = []
        let features = weights.shape[1] * operation.group
        for (place, phase) in phases.enumerated() {
            guard let part = try? Self.weights(weights, operation.group, phase.row.taps, phase.column.taps) else {
                return
            }
            let name = stride == 1 ? node.name : "\(node.name)/phase\(place)"
            let result = edit.addValue("\(name).result")
            results.append(result)
            nodes.append(
                Graph.Node(
                    name: name,
                    operation: Conv(
                        group: operation.group, kernel: [phase.row.taps.count, phase.column.taps.count],
                        pads: [phase.row.padBegin, phase.column.padBegin, phase.row.padEnd, phase.column.padEnd]),
                    inputs: [input, edit.addConstant("\(name).weight", part)] + (bias.map { [$0] } ?? []),
                    outputs: [result]))
        }
        interleave(results, &nodes, node, features, geometry, &edit)
        guard var last = nodes.popLast() else { return }
        last.outputs = node.outputs
        edit.insert(nodes, before: index)
        edit.replace(index, with: last)
        edit.note(node, "became \(phases.count == 1 ? "a convolution" : "\(phases.count) convolutions")")
    }

    /// Adds the nodes that put the results of all remainders at their places, and cut what exceeds the output.
    private func interleave(
        _ results: [Graph.ValueID], _ nodes: inout [Graph.Node], _ node: Graph.Node, _ features: Int,
        _ geometry: SpatialWindow.Geometry, _ edit: inout GraphEdit
    ) {
        let stride = geometry.strides[0]
        guard stride > 1 else { return }
        let joined = edit.addValue("\(node.name).phases")
        nodes.append(
            Graph.Node(name: "\(node.name)/join", operation: Concat(axis: 1), inputs: results, outputs: [joined]))
        let spread = edit.addValue("\(node.name).interleaved")
        nodes.append(
            Graph.Node(
                name: "\(node.name)/interleave", operation: DepthToSpace(blockSize: stride), inputs: [joined],
                outputs: [spread]))
        guard geometry.output.contains(where: { $0 % stride != 0 }) else { return }
        nodes.append(
            Graph.Node(
                name: "\(node.name)/cut", operation: Slice(starts: [0, 0], ends: geometry.output, axes: [2, 3]),
                inputs: [spread], outputs: [nil]))
    }

    /// `[C, M / group, kh, kw]` → `[M, C / group, rows, columns]`, with the taps in the given order.
    private static func weights(_ weights: Tensor, _ group: Int, _ rows: [Int], _ columns: [Int]) throws -> Tensor {
        let (channels, features) = (weights.shape[0] / group, weights.shape[1])
        let (height, width) = (weights.shape[2], weights.shape[3])
        let elements = weights.elements(as: Double.self)
        var result: [Double] = []
        result.reserveCapacity(group * features * channels * rows.count * columns.count)
        for number in 0..<group {
            for feature in 0..<features {
                for channel in number * channels..<(number + 1) * channels {
                    let filter = (channel * features + feature) * height * width
                    for row in rows { for column in columns { result.append(elements[filter + row * width + column]) } }
                }
            }
        }
        return try Tensor(
            result, as: weights.elementType, shape: [group * features, channels, rows.count, columns.count])
    }
}
