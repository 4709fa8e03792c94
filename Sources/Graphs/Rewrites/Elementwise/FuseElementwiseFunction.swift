import Tensors

/// Recognises functions that exporters write as several nodes: Gelu in both forms, Swish, HardSwish, HardSigmoid and
/// Mish.
///
/// The elementwise nodes between a value and a result are evaluated at some points. They are the function that agrees
/// at all points, regardless of the order of operands and factors. Legal when nothing else reads the values in between.
package struct FuseElementwiseFunction: NodeRewrite {
    package static let name = "FuseElementwiseFunction"
    package static let summary = "Recognises Gelu, Swish, HardSwish, HardSigmoid and Mish written as several nodes."
    package static let isExportable = false

    package init() {}

    private static let functions: [any ElementwiseUnary] = [
        Gelu(), Gelu(isApproximate: true), Swish(), HardSwish(), HardSigmoid(alpha: 1 / 6), Swish(alpha: 1.702), Mish(),
    ]

    /// The points at which functions are compared. Any two functions differ clearly at some of them.
    private static let points: [Double] = [-9, -4.2, -3.1, -2.6, -1.7, -0.8, -0.3, 0.2, 0.7, 1.3, 2.4, 2.9, 3.3, 5, 8]
    /// The tolerance of the comparison: constants are float32, or rounded further.
    private static let tolerance = 2e-6
    private static let maximumNodeCount = 12

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.operation is Mul || node.operation is Div, node.outputs.count == 1 else { return }
        var expression = Expression()
        guard expression.add(node, edit, limit: Self.maximumNodeCount), let argument = expression.argument,
            expression.nodeCount > 1, let type = edit.type(argument), type.elementType.isFloatingPoint,
            expression.widestNumber <= type.shape.rank, edit.type(node.outputs[0]).map({ $0 == type }) ?? true
        else { return }
        let values = Self.points.map { expression.value($0) }
        let match = Self.functions.first { function in
            zip(Self.points, values).allSatisfy { point, value in
                abs(function.apply(point) - value) <= Self.tolerance * max(1, abs(point))
            }
        }
        guard let match else { return }
        let fused = Graph.Node(name: node.name, operation: match, inputs: [argument], outputs: node.outputs)
        edit.replace(index, with: fused)
        edit.note(
            node, "is \(fused.operatorName) of \"\(edit.name(argument))\", written as \(expression.nodeCount) nodes")
    }
}

/// A function of one value, written as elementwise nodes and numbers.
private struct Expression {
    private indirect enum Term {
        case argument
        case number(Double)
        case unary(any ElementwiseUnary, Term)
        case clip(low: Double, high: Double, Term)
        case binary(any BroadcastingArithmetic, Term, Term)
        case power(Term, Term)
    }

    private var root = Term.argument
    private(set) var argument: Graph.ValueID?
    private(set) var nodeCount = 0
    /// The largest number of axes of a number.
    private(set) var widestNumber = 0

    /// Adds `node` and the nodes from which it is computed.
    ///
    /// - Returns: Whether they are a function of one value.
    mutating func add(_ node: Graph.Node, _ edit: GraphEdit, limit: Int) -> Bool {
        guard let leaf = Self.commonLeaf(node, edit, limit: limit) else { return false }
        argument = leaf
        guard let term = term(node, edit, limit: limit) else { return false }
        root = term
        return true
    }

    func value(_ x: Double) -> Double { Self.value(root, x) }

    private static func value(_ term: Term, _ x: Double) -> Double {
        switch term {
        case .argument: x
        case .number(let number): number
        case .unary(let function, let inner): function.apply(value(inner, x))
        case .clip(let low, let high, let inner): min(max(value(inner, x), low), high)
        case .binary(let operation, let a, let b):
            operation.finish(operation.combine(value(a, x), value(b, x)), count: 2)
        case .power(let base, let exponent): value(base, x).raised(to: value(exponent, x))
        }
    }

    /// The only value that is not a constant and from which the nodes compute `node`; nil when there are several.
    private static func commonLeaf(_ node: Graph.Node, _ edit: GraphEdit, limit: Int) -> Graph.ValueID? {
        var leaves: Set<Graph.ValueID> = []
        var pending = [node]
        var visited = 0
        while let next = pending.popLast() {
            visited += 1
            guard visited <= limit else { return nil }
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
        case is any ElementwiseUnary, is Clip, is Pow: true
        case let operation as any BroadcastingArithmetic:
            node.inputs.count == 2 && operation.alignment == nil
                && (operation as? any ActivationFusing)?.activation == nil
        default: false
        }
    }

    private mutating func term(_ node: Graph.Node, _ edit: GraphEdit, limit: Int) -> Term? {
        nodeCount += 1
        guard nodeCount <= limit, Self.isElementwise(node) else { return nil }
        switch node.operation {
        case let function as any ElementwiseUnary: return operand(node, 0, edit, limit).map { .unary(function, $0) }
        case let clip as Clip:
            let types = node.inputs.map { input in
                input.map { edit.constant($0).map { TensorType($0) } ?? TensorType(.float32, []) }
            }
            guard let (low, high) = clip.bounds(types), let inner = operand(node, 0, edit, limit) else { return nil }
            return .clip(low: Double(low), high: Double(high), inner)
        default: break
        }
        guard node.inputs.count == 2, let a = operand(node, 0, edit, limit), let b = operand(node, 1, edit, limit)
        else { return nil }
        if node.operation is Pow { return .power(a, b) }
        return (node.operation as? any BroadcastingArithmetic).map { .binary($0, a, b) }
    }

    private mutating func operand(_ node: Graph.Node, _ position: Int, _ edit: GraphEdit, _ limit: Int) -> Term? {
        guard let id = node.inputs[position] else { return nil }
        if let number = edit.number(id) {
            widestNumber = max(widestNumber, edit.constant(id)?.shape.count ?? 0)
            return .number(number)
        }
        if id == argument { return .argument }
        return edit.soleOrigin(id).flatMap { term($0.node, edit, limit: limit) }
    }
}
