import Tensors

/// Drops the outer taps of a convolution's kernel that meet nothing but padding. Dilated kernels can be larger than the
/// value they are applied to, as in the pyramid of DeepLab (<https://arxiv.org/abs/1706.05587>).
///
/// Legal when the weights are finite constants and the extents of the input are known, and when what is left needs no
/// negative padding. Products of padding with weights that are not finite are NaN.
///
/// Rounding: none.
package struct DropPaddedTaps: NodeRewrite {
    package static let name = "DropPaddedTaps"
    package static let summary = "Drops taps of a kernel that meet nothing but padding."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard var convolution = node.operation as? Conv, let weights = edit.constant(node.inputs[1]),
            weights.shape.count > 2, let type = edit.type(node.inputs[0]), type.shape.rank == weights.shape.count
        else { return }
        let extents = type.shape.dimensions.dropFirst(2).compactMap(\.value)
        guard extents.count == weights.shape.count - 2, !extents.contains(0),
            let geometry = try? convolution.window.geometry(input: extents, weights: Array(weights.shape[2...]))
        else { return }
        let kept = geometry.kernel.indices.map { Self.kept(geometry, axis: $0) }
        guard zip(kept, geometry.kernel).contains(where: { $0.count < $1 }) else { return }
        var view = weights
        do {
            guard try edit.isFinite(weights) else { return }
            for (axis, taps) in kept.enumerated() {
                view = try view.sliced(axis: axis + 2, taps)
            }
            view = try view.contiguous()
        } catch { return }
        let begin = kept.indices.map { geometry.padsBegin[$0] - kept[$0].lowerBound * geometry.dilations[$0] }
        let end = kept.indices.map {
            geometry.padsEnd[$0] - (geometry.kernel[$0] - kept[$0].upperBound) * geometry.dilations[$0]
        }
        convolution.window = SpatialWindow(
            kernel: kept.map(\.count), strides: geometry.strides, dilations: geometry.dilations, pads: begin + end)
        var smaller = node
        smaller.operation = convolution
        smaller.inputs[1] = edit.addConstant("\(node.name).weight", view)
        edit.replace(index, with: smaller)
        edit.note(node, "kernel \(geometry.kernel) became \(kept.map(\.count))")
    }

    /// The taps of an axis from the first to the last that meets an element of the input; at least one.
    private static func kept(_ geometry: SpatialWindow.Geometry, axis: Int) -> Range<Int> {
        let (input, stride, dilation) = (geometry.input[axis], geometry.strides[axis], geometry.dilations[axis])
        let lastOutput = (geometry.output[axis] - 1) * stride
        // A tap's positions run from −padsBegin + tap · dilation to that plus lastOutput.
        var taps = 0..<geometry.kernel[axis]
        while taps.count > 1, lastOutput - geometry.padsBegin[axis] + taps.lowerBound * dilation < 0,
            geometry.padsBegin[axis] >= (taps.lowerBound + 1) * dilation
        {
            taps = taps.lowerBound + 1..<taps.upperBound
        }
        while taps.count > 1, (taps.upperBound - 1) * dilation - geometry.padsBegin[axis] >= input,
            geometry.padsEnd[axis] >= (geometry.kernel[axis] - taps.upperBound + 1) * dilation
        {
            taps = taps.lowerBound..<taps.upperBound - 1
        }
        return taps
    }
}
