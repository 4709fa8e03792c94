import Tensors

/// Merges a Pad into the convolution or pooling that follows, as its padding.
///
/// Legal when nothing else reads the padded value, the padding is constant, and only spatial axes grow. A convolution
/// and an average pooling merge zeros; the pooling must count padding as elements, or have none of its own. A maximum
/// pooling merges −∞, and also zeros around elements that an activation keeps from being negative, when every window
/// has a tap on an element: where all lie in padding, the maximum is 0 before and −∞ after. No pooling has `ceil_mode`,
/// and none gets padding as wide as its kernel, which other engines refuse.
///
/// Rounding: none.
package struct MergePad: NodeRewrite {
    package static let name = "MergePad"
    package static let summary = "Merges Pad into the convolution or pooling after it."

    /// The number of windows along an axis whose taps are looked at.
    private static let maximumWindowCount = 1 << 16

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.operation is Conv || node.operation is AveragePool || node.operation is MaxPool,
            let (producer, pad) = edit.soleOrigin(node.inputs[0]), let pads = spatialPads(of: pad, edit),
            let value = paddingValue(of: pad, edit), value == 0 || node.operation is MaxPool
        else { return }
        var merged = node
        merged.inputs[0] = pad.inputs[0]
        switch node.operation {
        case var convolution as Conv:
            guard let window = widened(convolution.window, by: pads) else { return }
            convolution.window = window
            merged.operation = convolution
        case var pool as AveragePool:
            let hasOwn = pool.window.pads.contains { $0 != 0 }
            guard pool.countIncludePad || !hasOwn, !pool.window.ceilMode,
                let window = widened(pool.window, by: pads), isInsideKernel(window)
            else { return }
            pool.window = window
            pool.countIncludePad = true
            merged.operation = pool
        case var pool as MaxPool:
            guard !pool.window.ceilMode, node.outputs.dropFirst().allSatisfy({ $0 == nil }),
                let window = widened(pool.window, by: pads), isInsideKernel(window),
                value == -.infinity
                    || value == 0 && isNonnegative(pad.inputs[0], edit) && meetsElements(window, pad.inputs[0], edit)
            else { return }
            pool.window = window
            merged.operation = pool
        default: return
        }
        edit.replace(index, with: merged)
        edit.remove(producer)
        edit.note(pad, "merged into \"\(node.name)\" as padding \(pads)")
    }

    /// The number with which `node` pads, when it is constant.
    private func paddingValue(of node: Graph.Node, _ edit: GraphEdit) -> Double? {
        guard let pad = node.operation as? Pad else { return nil }
        guard node.inputs.count > 2, let value = node.inputs[2] else { return Double(pad.value) }
        return edit.constant(value)?.elements(as: Double.self).first
    }

    /// Whether the node that computes the value guarantees that no element is below 0.
    private func isNonnegative(_ id: Graph.ValueID?, _ edit: GraphEdit) -> Bool {
        guard let node = edit.origin(id).flatMap({ edit.node($0) }) else { return false }
        return node.operation is Relu || (node.operation as? any ActivationFusing)?.activation?.isNonnegative ?? false
    }

    /// The numbers of elements that `node` adds before and after the spatial axes; nil when it pads other axes.
    private func spatialPads(of node: Graph.Node, _ edit: GraphEdit) -> [Int]? {
        guard let pad = node.operation as? Pad, pad.mode == .constant, let input = node.inputs[0] else { return nil }
        var types: [TensorType?] = []
        for (position, id) in node.inputs.enumerated() {
            if position == 0 {
                guard let rank = rank(of: input, pad, node, edit) else { return nil }
                types.append(TensorType(.float32, [Int](repeating: 1, count: rank)))
            } else {
                guard id == nil || edit.constant(id) != nil else { return nil }
                types.append(edit.constant(id).map { TensorType($0) })
            }
        }
        guard let (begin, end) = try? pad.resolvedPads(types), begin.count >= 3,
            begin.prefix(2).allSatisfy({ $0 == 0 }), end.prefix(2).allSatisfy({ $0 == 0 }),
            (begin + end).allSatisfy({ $0 >= 0 })
        else { return nil }
        return Array(begin.dropFirst(2)) + Array(end.dropFirst(2))
    }

    /// The number of axes, which is known or follows from pads for every axis.
    private func rank(of input: Graph.ValueID, _ pad: Pad, _ node: Graph.Node, _ edit: GraphEdit) -> Int? {
        if let type = edit.type(input) { return type.shape.rank }
        guard node.inputs.count < 4 || node.inputs[3] == nil else { return nil }
        let constant = node.inputs.count > 1 ? edit.constant(node.inputs[1])?.elementCount : nil
        return (constant ?? pad.pads?.count).map { $0 / 2 }
    }

    private func widened(_ window: SpatialWindow, by pads: [Int]) -> SpatialWindow? {
        guard window.autoPad == .notSet || window.autoPad == .valid else { return nil }
        var result = window
        let own = window.autoPad == .valid || window.pads.isEmpty ? pads.map { _ in 0 } : window.pads
        guard own.count == pads.count else { return nil }
        result.autoPad = .notSet
        result.pads = zip(own, pads).map { $0 + $1 }
        return result
    }

    /// Whether every window has a tap on an element of the input. Adjacent taps have one when the padding is narrower
    /// than the kernel; of others, all may lie on both sides of the input.
    private func meetsElements(_ window: SpatialWindow, _ input: Graph.ValueID?, _ edit: GraphEdit) -> Bool {
        let extents = (edit.type(input)?.shape.dimensions.dropFirst(2)).map { $0.map(\.value) }
        let isAdjacent = window.dilations.allSatisfy { $0 == 1 }
        guard let extents, !extents.contains(nil) else { return isAdjacent }
        guard let geometry = try? window.geometry(input: extents.compactMap { $0 }) else { return false }
        return geometry.input.indices.allSatisfy { axis in
            if isAdjacent { return geometry.input[axis] > 0 }
            guard geometry.output[axis] <= Self.maximumWindowCount else { return false }
            return (0..<geometry.output[axis]).allSatisfy {
                !geometry.taps(axis, origin: geometry.origin(axis, $0), to: geometry.input[axis]).isEmpty
            }
        }
    }

    /// Whether no padding is as wide as the kernel.
    private func isInsideKernel(_ window: SpatialWindow) -> Bool {
        let rank = window.kernel.count
        return rank > 0 && window.pads.indices.allSatisfy { window.pads[$0] < window.kernel[$0 % rank] }
    }
}
