import Tensors

extension ChannelAffine {
    /// The convolution with this applied to its result, when its weights are constants.
    ///
    /// - Returns: nil when that is not exact: dynamic weights, an addend or activation between, or numbers that
    ///   overflow.
    func folded(into node: Graph.Node, _ edit: inout GraphEdit) -> Graph.Node? {
        guard isFinite, let operation = node.operation as? Conv, operation.activation == nil,
            node.inputs.count <= Conv.addendPosition, let weightID = node.inputs[1],
            let weight = edit.constant(weightID), Self.isExact(weight.elementType),
            weight.shape.first == scale.count, var bias = ConstantBias(of: node, count: scale.count, edit)
        else { return nil }
        for channel in scale.indices { bias.numbers[channel] = bias.numbers[channel] * scale[channel] + shift[channel] }
        guard let newWeight = scaled(weight, edit),
            let newBias = Self.tensor(bias.numbers, like: weight, shape: [scale.count])
        else { return nil }
        var result = node
        result.inputs[1] = edit.revise(weightID, newWeight)
        bias.replace(by: newBias, in: &result, &edit)
        return result
    }

    /// The convolution with this applied to its input, when its weights are constants.
    ///
    /// - Returns: nil when that is not exact: dynamic weights, numbers that overflow, or a shift together with padding,
    ///   which would not be shifted.
    func folded(before node: Graph.Node, _ edit: inout GraphEdit) -> Graph.Node? {
        guard let operation = node.operation as? Conv, let weight = edit.constant(node.inputs[1]),
            weight.shape.count >= 3, weight.shape[1] * operation.group == scale.count,
            weight.shape[0] % operation.group == 0, shift.allSatisfy({ $0 == 0 }) || operation.window.isUnpadded
        else { return nil }
        let (features, depth) = (weight.shape[0], weight.shape[1])
        let taps = weight.shape[2...].reduce(1, *)
        return folded(before: node, weight, biasCount: features, &edit) { numbers, biases in
            for feature in 0..<features {
                let firstChannel = feature / (features / operation.group) * depth
                for index in 0..<depth * taps {
                    let channel = firstChannel + index / taps
                    biases[feature] += numbers[feature * depth * taps + index] * shift[channel]
                    numbers[feature * depth * taps + index] *= scale[channel]
                }
            }
        }
    }

    /// The product of rows with this applied to its rows, when its weights and bias are constants:
    /// (x · scale + shift) W + b = x (scale · W) + (shift W + b).
    ///
    /// - Returns: nil when numbers overflow.
    func folded(beforeProduct node: Graph.Node, _ edit: inout GraphEdit) -> Graph.Node? {
        guard let weight = edit.constant(node.inputs[1]), weight.shape.count == 2, weight.shape[0] == scale.count
        else { return nil }
        let columns = weight.shape[1]
        return folded(before: node, weight, biasCount: columns, &edit) { numbers, biases in
            for row in scale.indices {
                for column in 0..<columns {
                    biases[column] += numbers[row * columns + column] * shift[row]
                    numbers[row * columns + column] *= scale[row]
                }
            }
        }
    }

    /// The node whose weights and bias are as `apply` makes them.
    private func folded(
        before node: Graph.Node, _ weight: Tensor, biasCount: Int, _ edit: inout GraphEdit,
        apply: (_ weights: inout [Double], _ biases: inout [Double]) -> Void
    ) -> Graph.Node? {
        guard isFinite, Self.isExact(weight.elementType), let weightID = node.inputs[1],
            var bias = ConstantBias(of: node, count: biasCount, edit)
        else { return nil }
        var weights = weight.elements(as: Double.self)
        apply(&weights, &bias.numbers)
        guard let newWeight = Self.tensor(weights, like: weight, shape: weight.shape),
            let newBias = Self.tensor(bias.numbers, like: weight, shape: [biasCount])
        else { return nil }
        var result = node
        result.inputs[1] = edit.revise(weightID, newWeight)
        if shift.contains(where: { $0 != 0 }) { bias.replace(by: newBias, in: &result, &edit) }
        return result
    }

    /// The batch normalisation with this applied to its result, when its scale and bias are constants.
    func folded(intoNormalization node: Graph.Node, _ edit: inout GraphEdit) -> Graph.Node? {
        guard isFinite, let scaleID = node.inputs[1], let biasID = node.inputs[2], scaleID != biasID,
            let old = edit.constant(scaleID), let oldBias = edit.constant(biasID), Self.isExact(old.elementType),
            old.elementCount == scale.count, oldBias.elementCount == scale.count
        else { return nil }
        let scales = zip(old.elements(as: Double.self), scale).map { $0 * $1 }
        let biases = zip(oldBias.elements(as: Double.self), zip(scale, shift)).map { $0 * $1.0 + $1.1 }
        guard let newScale = Self.tensor(scales, like: old, shape: old.shape),
            let newBias = Self.tensor(biases, like: oldBias, shape: oldBias.shape)
        else { return nil }
        var result = node
        result.inputs[1] = edit.revise(scaleID, newScale)
        result.inputs[2] = edit.revise(biasID, newBias)
        return result
    }

    /// The weights with each output channel multiplied by its scale; nil when a number is not finite.
    private func scaled(_ weight: Tensor, _ edit: GraphEdit) -> Tensor? {
        guard let largest = try? Self.largestMagnitudes(weight, channels: scale.count, edit.scratch) else { return nil }
        if weight.elementType == .float64 {
            guard zip(largest, scale).allSatisfy({ ($0 * $1).isFinite }) else { return nil }
            return scaled(weight, as: Double.self)
        }
        guard zip(largest, scale).allSatisfy({ Float($0 * $1).isFinite }) else { return nil }
        return scaled(weight, as: Float.self)
    }

    private func scaled<Element: BinaryFloatingPoint & Sendable>(_ weight: Tensor, as: Element.Type) -> Tensor? {
        let (scale, depth) = (scale, weight.elementCount / max(scale.count, 1))
        return try? Tensor(deriving: weight.elementType, shape: weight.shape) { target throws(TensorError) in
            try weight.copyElements(to: target)
            let elements = target.assumingMemoryBound(to: Element.self)
            for channel in scale.indices {
                let factor = scale[channel]
                for index in channel * depth..<(channel + 1) * depth {
                    elements[index] = Element(Double(elements[index]) * factor)
                }
            }
        }
    }

    /// The largest magnitude in each output channel; infinity or NaN when the channel has one.
    private static func largestMagnitudes(
        _ weight: Tensor, channels: Int, _ scratch: ScratchMemory
    ) throws -> [Double] {
        // Without signs, the order of floating-point numbers is that of their bits, and NaN comes last.
        func largest<Bits: FixedWidthInteger & SignedInteger>(_ bytes: UnsafeRawBufferPointer, _: Bits.Type) -> [Bits] {
            let bits = bytes.assumingMemoryBound(to: Bits.self)
            let depth = bits.count / max(channels, 1)
            return (0..<channels).map { channel in
                var result: Bits = 0
                for index in channel * depth..<(channel + 1) * depth { result = max(result, bits[index] & Bits.max) }
                return result
            }
        }
        return try scratch.withElements(of: weight) { weight in
            try weight.withContiguousBytes { bytes in
                weight.elementType == .float64
                    ? largest(bytes, Int64.self).map { Double(bitPattern: UInt64($0)) }
                    : largest(bytes, Int32.self).map { Double(Float(bitPattern: UInt32($0))) }
            }
        }
    }

    private static func isExact(_ type: ElementType) -> Bool { type == .float32 || type == .float64 }

    private static func tensor(_ values: [Double], like original: Tensor, shape: [Int]) -> Tensor? {
        let limit = original.elementType == .float32 ? Double(Float.greatestFiniteMagnitude) : .infinity
        guard values.allSatisfy({ abs($0) <= limit }) else { return nil }
        return try? Tensor(values, as: original.elementType, shape: shape)
    }
}
