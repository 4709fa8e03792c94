import Tensors

/// Makes a table of elementwise functions between DequantizeLinear and QuantizeLinear.
///
/// Legal for 8-bit integers with constant scales and zero points, one scale for each value, where everything in between
/// is a function of one value of 8-bit integers and of constant single numbers, element by element. Each entry of the
/// table is what the operators' own evaluation gives. Values in between that others read stay.
///
/// Rounding: that of the operators' own evaluation, so that a number near to the middle between two integers may be
/// rounded to the other.
package struct TabulateIntegerFunction: NodeRewrite {
    package static let name = "TabulateIntegerFunction"
    package static let summary = "Makes a table of functions between DequantizeLinear and QuantizeLinear."
    package static let isExportable = false

    /// The maximum number of nodes in between.
    private static let maximumCount = 32

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let y = QuantizedOperand(result: node, edit), let (source, table, count) = Self.table(node, y, edit)
        else { return }
        var replaced = node
        replaced.operation = Lookup()
        replaced.inputs = [source, edit.addConstant("\(node.name).table", table)]
        edit.replace(index, with: replaced)
        edit.note(node, "is a table of what \(count) nodes before it give")
    }

    /// What a QuantizeLinear gives for every integer of the value that it is a function of; nil where it is none.
    private static func table(
        _ node: Graph.Node, _ y: QuantizedOperand, _ edit: GraphEdit
    ) -> (source: Graph.ValueID, table: Tensor, nodeCount: Int)? {
        var function = IntegerFunction()
        guard let result = node.inputs[0], function.add(result, edit, limit: maximumCount), function.hasFunction,
            let source = function.singleSource(edit, limit: maximumCount),
            let type = edit.type(source), let range = type.elementType.quantizedRange,
            edit.type(result).map({ $0.shape == type.shape && $0.elementType == .float32 }) ?? false,
            let integers = try? Tensor(range.map { Double($0) }, as: type.elementType, shape: [range.count]),
            let found = try? function.values(node, from: source, integers, edit),
            found.elementCount == range.count, found.elementType == y.elementType,
            let table = try? Tensor(found.elements(as: Double.self), as: y.elementType, shape: [range.count])
        else { return nil }
        return (source, table, function.count)
    }
}

/// The nodes between values of 8-bit integers and a number.
private struct IntegerFunction {
    private var nodes: [Graph.ValueID: Graph.Node] = [:]
    /// The values of integers from which everything is computed.
    private var sources: Set<Graph.ValueID> = []
    /// Whether there is more than a change of scale.
    private(set) var hasFunction = false

    /// The number of nodes.
    var count: Int { nodes.count }

    /// Adds a number, and what it is computed from; false where that is not elementwise.
    mutating func add(_ value: Graph.ValueID, _ edit: GraphEdit, limit: Int) -> Bool {
        if nodes[value] != nil { return true }
        if let constant = edit.constant(value) { return constant.elementCount == 1 }
        guard nodes.count < limit, let index = edit.origin(value), let node = edit.node(index),
            node.outputs.count == 1
        else { return false }
        if node.operation is DequantizeLinear {
            guard let operand = QuantizedOperand(number: value, edit) else { return false }
            nodes[value] = node
            sources.insert(operand.value)
            return true
        }
        guard Self.isElementwise(node.operation) else { return false }
        nodes[value] = node
        hasFunction = true
        for case let input? in node.inputs where !add(input, edit, limit: limit) { return false }
        return true
    }

    /// The value from which everything is computed: the only one, or the one of which tables make the others.
    mutating func singleSource(_ edit: GraphEdit, limit: Int) -> Graph.ValueID? {
        for _ in 0..<limit where sources.count > 1 {
            let tables = sources.filter { edit.origin($0).flatMap(edit.node)?.operation is Lookup }
            // Of two tables, the later one may be made of the earlier.
            guard let last = tables.max(by: { edit.origin($0) ?? 0 < edit.origin($1) ?? 0 }),
                let node = edit.origin(last).flatMap(edit.node), let input = node.inputs[0],
                edit.constant(node.inputs[1]) != nil
            else { return nil }
            nodes[last] = node
            sources.remove(last)
            sources.insert(input)
        }
        return sources.count == 1 ? sources.first : nil
    }

    /// What the last node gives of the integers of a value.
    func values(
        _ last: Graph.Node, from source: Graph.ValueID, _ integers: Tensor, _ edit: GraphEdit
    ) throws -> Tensor {
        var known = [source: integers]
        func compute(_ id: Graph.ValueID) throws -> Tensor {
            if let tensor = known[id] ?? edit.constant(id) { return tensor }
            guard let node = nodes[id] else { throw OperatorError.invalid("a value is not computed") }
            let tensor = try evaluate(node, compute)
            known[id] = tensor
            return tensor
        }
        return try evaluate(last, compute)
    }

    private func evaluate(_ node: Graph.Node, _ value: (Graph.ValueID) throws -> Tensor) throws -> Tensor {
        let inputs = try node.inputs.map { try $0.map(value) }
        let types = try node.operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
        return try node.operation.evaluate(inputs, outputTypes: types)[0]
    }

    private static func isElementwise(_ operation: any Operator) -> Bool {
        switch operation {
        case let add as Add: add.alignment == nil
        case let multiply as Mul: multiply.alignment == nil
        case let subtract as Sub: subtract.alignment == nil
        case let divide as Div: divide.alignment == nil
        case is any ElementwiseUnary, is Clip: true
        default: false
        }
    }
}
