import Tensors

/// The elementwise nodes from one value to another, which only they read in between.
struct ElementwiseExpression {
    private static let maximumNodeCount = 12

    /// The only value, besides numbers, from which the nodes compute the result.
    let argument: Graph.ValueID
    private(set) var form: ElementwiseForm
    private(set) var nodeCount = 0
    /// The largest number of axes of a number.
    private(set) var widestNumber = 0

    /// The nodes that compute `node`'s result; nil where they compute it from several values, or have no form.
    init?(_ node: Graph.Node, _ edit: GraphEdit) {
        guard let leaf = Self.commonLeaf(node, edit) else { return nil }
        argument = leaf
        form = .argument
        guard let result = read(node, edit) else { return nil }
        form = result
    }

    private static func commonLeaf(_ node: Graph.Node, _ edit: GraphEdit) -> Graph.ValueID? {
        var leaves: Set<Graph.ValueID> = []
        var pending = [node]
        var visited = 0
        while let next = pending.popLast() {
            visited += 1
            guard visited <= maximumNodeCount else { return nil }
            for case let input? in next.inputs where edit.constant(input) == nil {
                if let (_, inner) = edit.soleOrigin(input), isElementwise(inner) {
                    pending.append(inner)
                } else {
                    leaves.insert(input)
                }
            }
        }
        return leaves.count == 1 ? leaves.first : nil
    }

    private static func isElementwise(_ node: Graph.Node) -> Bool {
        switch node.operation {
        case is Sigmoid, is Tanh, is Erf, is Exp, is Log, is Softplus, is Relu, is HardSigmoid, is Neg, is Reciprocal,
            is Clip, is Pow:
            true
        case let operation as any BroadcastingArithmetic:
            node.inputs.count == 2 && operation.alignment == nil
                && (operation as? any ActivationFusing)?.activation == nil
        default: false
        }
    }

    private mutating func read(_ node: Graph.Node, _ edit: GraphEdit) -> ElementwiseForm? {
        nodeCount += 1
        guard nodeCount <= Self.maximumNodeCount, Self.isElementwise(node) else { return nil }
        if node.operation is Max || node.operation is Min { return readLimit(node, edit) }
        guard let a = operand(node, 0, edit) else { return nil }
        switch node.operation {
        case is Sigmoid: return a.logistic
        case is Tanh: return a.tanh
        case is Erf: return a.errorFunction
        case is Exp: return a.exponential
        case is Log: return a.logarithm
        case is Softplus: return a.softplus
        case is Relu: return a.clipped(0, .infinity)
        case is Neg: return a.negated
        case is Reciprocal: return a.reciprocal
        case let hard as HardSigmoid:
            guard let alpha = ElementwiseForm(Double(hard.alpha)), let product = alpha * a else { return nil }
            guard hard.beta != 0 else { return product.clipped(0, 1) }
            return ElementwiseForm(Double(hard.beta)).flatMap { product + $0 }?.clipped(0, 1)
        case let clip as Clip:
            guard let (low, high) = edit.bounds(of: node, clip) else { return nil }
            return a.clipped(Double(low), Double(high))
        case is Pow:
            guard let exponent = number(node.inputs[1], edit) else { return nil }
            return a.power(exponent)
        default: break
        }
        guard node.inputs.count == 2, let b = operand(node, 1, edit) else { return nil }
        switch node.operation {
        case is Add: return a + b
        case is Sub: return a - b
        case is Mul: return a * b
        case is Div: return a / b
        default: return nil
        }
    }

    /// The larger or smaller of an operand and a number.
    private mutating func readLimit(_ node: Graph.Node, _ edit: GraphEdit) -> ElementwiseForm? {
        guard node.inputs.count == 2,
            let position = (0..<2).first(where: { edit.number(node.inputs[1 - $0]) != nil }),
            let limit = number(node.inputs[1 - position], edit), !limit.isNaN
        else { return nil }
        guard let form = operand(node, position, edit) else { return nil }
        return node.operation is Max ? form.clipped(limit, .infinity) : form.clipped(-.infinity, limit)
    }

    private mutating func number(_ id: Graph.ValueID?, _ edit: GraphEdit) -> Double? {
        guard let number = edit.number(id) else { return nil }
        widestNumber = max(widestNumber, edit.constant(id)?.shape.count ?? 0)
        return number
    }

    private mutating func operand(_ node: Graph.Node, _ position: Int, _ edit: GraphEdit) -> ElementwiseForm? {
        guard let id = node.inputs[position] else { return nil }
        if let number = number(id, edit) { return ElementwiseForm(number) }
        if id == argument { return .argument }
        guard edit.constant(id) == nil, let (_, origin) = edit.soleOrigin(id) else { return nil }
        return read(origin, edit)
    }
}
