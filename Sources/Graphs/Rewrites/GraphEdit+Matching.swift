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
