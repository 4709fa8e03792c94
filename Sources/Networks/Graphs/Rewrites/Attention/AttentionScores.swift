import Tensors

/// The operations between the product of queries and keys and Softmax: a scale and addends.
struct AttentionScores {
    private(set) var query: Graph.ValueID?
    private(set) var key: Graph.ValueID?
    var scale = 1.0
    /// The addends, outermost first.
    private var addends: [Addend] = []

    private enum Addend {
        case whole(Graph.ValueID)
        /// An addend for each window of an image: [1, windows, 1 or heads, rows, rows].
        case windows(Tensor)
    }

    /// Follows the scores back to the product; nil when other operations lie between, or other nodes read a value
    /// between.
    init?(_ scores: Graph.ValueID?, _ type: SymbolicType, _ edit: GraphEdit) {
        var current = scores
        for _ in 0..<6 {
            guard let (_, node) = edit.soleOrigin(current) else { return nil }
            if node.isPlainMatMul {
                (query, key) = (node.inputs[0], node.inputs[1])
                return
            }
            if let (operand, factor) = edit.factor(node) {
                guard edit.type(operand) == type else { return nil }
                scale *= factor
                current = operand
            } else if scale != 1 {
                // A factor that also multiplies addends is rare, and not supported.
                return nil
            } else if let add = node.operation as? Add, add.alignment == nil, add.activation == nil {
                guard let position = (0..<2).first(where: { Self.leadsToProduct(node.inputs[$0], type, edit) }),
                    let other = node.inputs[1 - position]
                else { return nil }
                addends.append(.whole(other))
                current = node.inputs[position]
            } else if let (inner, mask) = Self.windowedAddition(node, type, edit) {
                addends.append(.windows(mask))
                current = inner
            } else {
                return nil
            }
        }
        return nil
    }

    private static func leadsToProduct(_ id: Graph.ValueID?, _ type: SymbolicType, _ edit: GraphEdit) -> Bool {
        guard edit.type(id) == type, let (_, node) = edit.soleOrigin(id) else { return false }
        return node.isPlainMatMul || edit.factor(node) != nil || node.operation is Add || node.operation is Reshape
    }

    /// The scores and the mask of Reshape(Reshape(scores) + mask), where the outer Reshape restores the shape of the
    /// scores.
    private static func windowedAddition(
        _ node: Graph.Node, _ type: SymbolicType, _ edit: GraphEdit
    ) -> (Graph.ValueID, Tensor)? {
        guard node.operation is Reshape, type.shape.rank == 4, let (_, sum) = edit.soleOrigin(node.inputs[0]),
            let add = sum.operation as? Add, add.alignment == nil, add.activation == nil
        else { return nil }
        for position in 0..<2 {
            guard let mask = edit.constant(sum.inputs[1 - position]),
                let (_, inner) = edit.soleOrigin(sum.inputs[position]),
                inner.operation is Reshape, let scores = inner.inputs[0], edit.type(scores) == type,
                let windowed = edit.type(sum.inputs[position])?.standing, windowed.count == 5,
                mask.shape.count == 5, mask.shape[0] == 1, mask.shape[1] == windowed[1],
                let extents = type.standing, Array(windowed[2...]) == Array(extents[1...]),
                windowed[0] * windowed[1] == extents[0]
            else { continue }
            return (scores, mask)
        }
        return nil
    }

    /// The inputs for the sum of all addends: none, or one.
    ///
    /// - Returns: nil when the addends cannot be joined, or do not fit the scores.
    func bias(
        isBatched: Bool, _ heads: Int, _ edit: inout GraphEdit
    ) throws(GraphError) -> [Graph.ValueID?]? {
        guard let first = addends.first else { return [] }
        if addends.count == 1, case .whole(let id) = first {
            guard let type = edit.type(id), let shape = type.shape.fixed, type.elementType == .float32,
                shape.count <= (isBatched ? 4 : 3), shape.count < 4 || shape[0] == 1
            else { return nil }
            return [id]
        }
        var sum: Tensor?
        do {
            for addend in addends {
                var next: Tensor
                switch addend {
                case .whole(let id):
                    guard let constant = edit.constant(id), constant.shape.count <= 4 else { return nil }
                    next = constant
                case .windows(let mask): next = try mask.contiguous().reshaped(to: Array(mask.shape[1...]))
                }
                guard next.elementType == .float32, isBatched || next.shape.count <= 3 else { return nil }
                guard let other = sum else {
                    sum = next
                    continue
                }
                let types = try Add().outputTypes(for: [TensorType(other), TensorType(next)])
                sum = try Add().evaluate([other, next], outputTypes: types).first
            }
        } catch {
            return nil
        }
        guard let sum else { return nil }
        let name = edit.name(query ?? .init(0))
        return [edit.addConstant("\(name).bias", sum)]
    }
}
