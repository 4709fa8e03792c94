import Tensors

extension Graph {
    /// Sorts the nodes so that each comes after the nodes that it reads, and otherwise keeps the given order.
    ///
    /// - Throws: ``GraphError/cycle(_:)``.
    /// - Complexity: O(nodes + edges), without recursion.
    package mutating func sortTopologically() throws(GraphError) {
        var producer = [Int?](repeating: nil, count: values.count)
        for (index, node) in nodes.enumerated() {
            for output in node.outputs { if let output { producer[output.index] = index } }
        }
        var consumers = [[Int]](repeating: [], count: nodes.count)
        var pending = [Int](repeating: 0, count: nodes.count)
        for (index, node) in nodes.enumerated() {
            for input in node.inputs {
                guard let input, let source = producer[input.index] else { continue }
                consumers[source].append(index)
                pending[index] += 1
            }
        }
        if isSorted(producer) { return }
        var ready = pending.indices.filter { pending[$0] == 0 }
        var order: [Int] = []
        order.reserveCapacity(nodes.count)
        var next = 0
        while next < ready.count {
            let index = ready[next]
            next += 1
            order.append(index)
            for consumer in consumers[index] {
                pending[consumer] -= 1
                if pending[consumer] == 0 { ready.append(consumer) }
            }
        }
        guard order.count == nodes.count else {
            throw .cycle(pending.indices.filter { pending[$0] > 0 }.prefix(4).map { nodes[$0].name })
        }
        nodes = order.map { nodes[$0] }
    }

    private func isSorted(_ producer: [Int?]) -> Bool {
        nodes.indices.allSatisfy { index in
            nodes[index].inputs.allSatisfy { input in
                input.flatMap { producer[$0.index] }.map { $0 < index } ?? true
            }
        }
    }

    /// Checks the invariants of a graph.
    ///
    /// - Throws: ``GraphError`` naming the value or node that breaks one.
    package func validate() throws(GraphError) {
        var defined = [Bool](repeating: false, count: values.count)
        func define(_ id: ValueID) throws(GraphError) {
            guard !defined[id.index] else {
                throw .value(name: self[id].name, message: "is defined twice")
            }
            defined[id.index] = true
        }
        for id in inputs { try define(id) }
        for id in initializers.keys { try define(id) }
        for id in missingWeights { try define(id) }
        for node in nodes {
            let operation = type(of: node.operation)
            let isFused = node.inputs.count > operation.inputCount.upperBound
            let fusedCount = isFused ? node.inputs.count - operation.inputCount.upperBound : 0
            guard operation.inputCount.contains(node.inputs.count - fusedCount), fusedCount <= operation.fusedInputCount
            else {
                throw GraphError(
                    node, .invalid("has \(node.inputs.count) inputs; \(Self.countText(operation.inputCount)) expected"))
            }
            guard node.outputs.count <= operation.outputCount.upperBound, !node.outputs.isEmpty else {
                throw GraphError(
                    node,
                    .invalid("has \(node.outputs.count) outputs; \(Self.countText(operation.outputCount)) expected"))
            }
            for input in node.inputs {
                guard let input else { continue }
                guard defined[input.index] else {
                    throw GraphError(node, .invalid("reads \"\(self[input].name)\", which nothing provides"))
                }
            }
            for output in node.outputs { if let output { try define(output) } }
        }
        for id in outputs where !defined[id.index] {
            throw .value(name: self[id].name, message: "is an output, but nothing provides it")
        }
    }

    /// A number of operands in words: `1`, `2 to 3`, `1 or more`.
    package static func countText(_ range: ClosedRange<Int>) -> String {
        if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
        return range.upperBound == .max
            ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    }
}
