import Tensors

extension GraphEdit {
    /// The number of a constant with one floating-point element.
    package func number(_ id: Graph.ValueID?) -> Double? {
        guard let tensor = constant(id), tensor.elementCount == 1, tensor.elementType.isFloatingPoint else {
            return nil
        }
        return tensor.elements(as: Double.self).first
    }

    /// The operand and the number of a node with two inputs, one of which is a number.
    package func numberOperand(_ node: Graph.Node) -> (operand: Graph.ValueID, number: Double, position: Int)? {
        guard node.inputs.count == 2 else { return nil }
        for position in 0..<2 {
            if let operand = node.inputs[position], let number = number(node.inputs[1 - position]) {
                return (operand, number, position)
            }
        }
        return nil
    }

    /// The bounds of a Clip; nil where they are no constants, or NaN, or the lower one is not below the upper one.
    package func bounds(of node: Graph.Node, _ clip: Clip) -> (low: Float, high: Float)? {
        let types = node.inputs.map { input in
            input.map { constant($0).map { TensorType($0) } ?? TensorType(.float32, []) }
        }
        guard types.dropFirst().allSatisfy({ $0?.elementType != .float64 }), let (low, high) = clip.bounds(types),
            low < high
        else { return nil }
        return (low, high)
    }

    /// Whether no element of a constant is NaN or infinite.
    package func isFinite(_ tensor: Tensor) throws -> Bool {
        try largestMagnitude(of: tensor).isFinite
    }

    /// The largest magnitude of a constant's elements; NaN when one is NaN.
    package func largestMagnitude(of tensor: Tensor) throws -> Double {
        try scratch.withElements(of: tensor) { tensor -> [Double] in
            guard tensor.elementType == .float32 else {
                return [tensor.elements(as: Double.self).reduce(0) { $0.isNaN || $0 > abs($1) ? $0 : abs($1) }]
            }
            return try tensor.withContiguousBytes { bytes in
                // Without signs, the order of floating-point numbers is that of their bits, and NaN comes last.
                let bits = bytes.assumingMemoryBound(to: UInt32.self).reduce(0) { max($0, $1 & 0x7fff_ffff) }
                return [Double(Float(bitPattern: bits))]
            }
        }.first ?? 0
    }

    /// The node that computes a value, which other nodes may read too.
    package func producer(_ id: Graph.ValueID?) -> Graph.Node? { origin(id).flatMap { node($0) } }

    /// The operand and the factor of a node that multiplies or divides by a number.
    package func factor(_ node: Graph.Node) -> (operand: Graph.ValueID, factor: Double)? {
        guard let (operand, number, position) = numberOperand(node) else { return nil }
        switch node.operation {
        case let multiply as Mul where multiply.alignment == nil: return (operand, number)
        case let divide as Div where divide.alignment == nil && position == 0 && number != 0:
            return (operand, 1 / number)
        default: return nil
        }
    }

    /// The `extent` numbers of a constant that is broadcast along all axes but the last.
    package func row(_ id: Graph.ValueID?, extent: Int, rank: Int) -> [Double]? {
        guard let tensor = constant(id), tensor.elementType.isFloatingPoint, tensor.shape.count <= rank,
            tensor.shape.dropLast().allSatisfy({ $0 == 1 })
        else { return nil }
        let numbers = tensor.elements(as: Double.self)
        if numbers.count == extent { return numbers }
        return numbers.count == 1 ? [Double](repeating: numbers[0], count: extent) : nil
    }

    /// Whether a node multiplies stacked rows by a constant matrix, and perhaps adds a bias, but does nothing more.
    package func isProductWithWeights(_ node: Graph.Node) -> Bool {
        guard let product = node.operation as? MatMul else { return false }
        return product.activation == nil && node.inputs.count <= MatMul.addendPosition
            && constant(node.inputs[1])?.shape.count == 2
    }
}
