import Tensors

/// Turns the addition of a constant row into the bias of the product with weights of 8 or 4 bits before it, and fuses
/// the addition of another value of the same type, such as a shortcut.
///
/// Legal when nothing else reads the product's result. With another value the product moves to the addition's place.
package struct FuseNarrowProductAddend: NodeRewrite {
    package static let name = "FuseNarrowProductAddend"
    package static let summary = "Fuses an addition into the product with weights of 8 or 4 bits before it."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let add = node.operation as? Add, add.alignment == nil, node.inputs.count == 2 else { return }
        let products = (0..<2).compactMap { position in
            edit.soleOrigin(node.inputs[position]).map { (position: position, index: $0.index, node: $0.node) }
        }.filter { Slots(of: $0.node.operation) != nil }.sorted { $0.index > $1.index }
        for (position, producer, product) in products {
            guard let slots = Slots(of: product.operation), slots.isOpen(product),
                let type = edit.type(node.inputs[position]), let extent = type.shape.dimensions.last?.value
            else { continue }
            var fused = product
            if var operation = product.operation as? any ActivationFusing {
                operation.activation = add.activation
                fused.operation = operation
            }
            let other = node.inputs[1 - position]
            if let row = edit.row(other, extent: extent, rank: type.shape.rank), !slots.hasBias(product) {
                let bias: Tensor
                do { bias = try Tensor(row, as: type.elementType, shape: [extent]) } catch {
                    throw .rewrite(name: Self.name, message: error.description)
                }
                fused.set(slots.bias, edit.addConstant("\(product.name).bias", bias))
                edit.absorb(index, into: producer, as: fused)
                edit.note(node, "became a part of \"\(product.name)\"")
                return
            }
            guard edit.type(other) == type, edit.constant(other) == nil else { continue }
            fused.set(slots.addend, other)
            fused.outputs = node.outputs
            edit.replace(index, with: fused)
            edit.remove(producer)
            edit.note(node, "fused into \"\(product.name)\"")
            return
        }
    }

    /// The positions of bias and addend among the inputs of a product.
    private struct Slots {
        let bias: Int
        let addend: Int

        init?(of operation: any Operator) {
            switch operation {
            case is QuantizedMatMul: (bias, addend) = (QuantizedMatMul.biasPosition, QuantizedMatMul.addendPosition)
            case is MatMulNBits: (bias, addend) = (MatMulNBits.biasPosition, MatMulNBits.addendPosition)
            default: return nil
            }
        }

        /// Whether nothing follows the bias.
        func isOpen(_ node: Graph.Node) -> Bool {
            (node.operation as? any ActivationFusing)?.activation == nil && node.inputs.count <= addend
        }

        func hasBias(_ node: Graph.Node) -> Bool { node.inputs.count > bias && node.inputs[bias] != nil }
    }
}

extension Graph.Node {
    /// Gives the node an input at a position, after absent ones where it has fewer.
    fileprivate mutating func set(_ position: Int, _ input: Graph.ValueID?) {
        inputs += [Graph.ValueID?](repeating: nil, count: max(0, position + 1 - inputs.count))
        inputs[position] = input
    }
}
