import Tensors

/// Turns the addition of a constant row into the bias of the stacked product with weights before it, and folds a
/// multiplication by a constant row into its weights and bias.
///
/// Legal for float32 when nothing else reads the result in between, the product has neither addend nor activation, and
/// factors give finite weights, which nothing else reads. The arithmetic is done in float64.
package struct FuseProductBias: NodeRewrite {
    package static let name = "FuseProductBias"
    package static let summary = "Folds constant factors and addends after a MatMul of stacks into weights and bias."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.operation is Add || node.operation is Mul, node.inputs.count == 2 else { return }
        for position in 0..<2 {
            guard let (producer, origin) = edit.soleOrigin(node.inputs[position]),
                let product = origin.operation as? MatMul, product.activation == nil,
                origin.inputs.count <= MatMul.addendPosition,
                let weights = origin.inputs[1].flatMap({ edit.constant($0) }), weights.shape.count == 2,
                weights.elementType == .float32,
                let rank = edit.type(origin.inputs[0])?.shape.rank, rank >= 3,
                let numbers = edit.row(node.inputs[1 - position], extent: weights.shape[1], rank: rank)
            else { continue }
            let bias = origin.inputs.count > 2 ? edit.constant(origin.inputs[2])?.elements(as: Double.self) : nil
            guard origin.inputs.count == 2 || bias != nil else { continue }
            var fused = origin
            do {
                switch node.operation {
                case let add as Add where add.alignment == nil:
                    fused.operation = MatMul(activation: add.activation)
                    let sums = bias.map { zip($0, numbers).map { $0 + $1 } } ?? numbers
                    fused.inputs = origin.inputs.prefix(2) + [try row(sums, "\(origin.name).bias", &edit)]
                case let multiply as Mul where multiply.alignment == nil:
                    guard edit.readCount(origin.inputs[1] ?? .init(0)) == 1,
                        let largest = try? edit.largestMagnitude(of: weights),
                        numbers.allSatisfy({ Float($0 * largest).isFinite }),
                        zip(bias ?? [], numbers).allSatisfy({ Float($0 * $1).isFinite })
                    else { return }
                    let scaled = try Tensor(deriving: .float32, shape: weights.shape) { target throws(TensorError) in
                        try weights.copyElements(to: target)
                        let elements = target.assumingMemoryBound(to: Float.self)
                        for index in 0..<weights.elementCount {
                            elements[index] = Float(Double(elements[index]) * numbers[index % numbers.count])
                        }
                    }
                    fused.inputs[1] = edit.addConstant("\(origin.name).weight", scaled)
                    if let bias {
                        fused.inputs[2] = try row(zip(bias, numbers).map { $0 * $1 }, "\(origin.name).bias", &edit)
                    }
                default: continue
                }
            } catch {
                throw .rewrite(name: Self.name, message: error.description)
            }
            edit.absorb(index, into: producer, as: fused)
            edit.note(node, "became a part of \"\(origin.name)\"")
            return
        }
    }

    private func row(
        _ numbers: [Double], _ name: String, _ edit: inout GraphEdit
    ) throws(TensorError) -> Graph.ValueID {
        edit.addConstant(name, try Tensor(numbers, as: .float32, shape: [numbers.count]))
    }
}
