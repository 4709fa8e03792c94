import Tensors

/// A graph while a rewrite changes it. It looks up in constant time which node computes a value and how often it is
/// read.
///
/// Nodes keep their index while they are edited; `finished()` gives the graph. Values keep their ``Graph/ValueID``.
package struct GraphEdit {
    /// Changes made so far, in order.
    package private(set) var changes: [RewriteChange] = []

    /// The number of elements of all arrays before anything was folded.
    package let weightElementCount: Int

    /// Memory for reading weights.
    package let scratch = ScratchMemory()

    private var graph: Graph
    private var nodes: [Graph.Node?]
    /// The type of each node's operator; that of a removed node does not matter.
    private var operators: [ObjectIdentifier]
    /// The type of each value, where known, indexed like the graph's values; it may lack the last values, which were
    /// added without a type.
    package private(set) var types: [SymbolicType?]
    private var origins: [Int?]
    private var readCounts: [Int]
    private var isOutput: [Bool]
    private var replacements: [Graph.ValueID?]
    private var hasReplacements = false
    private var takenNames: Set<String> = []
    /// Added nodes, by the index of the node that they directly follow.
    private var added: [Int: [Graph.Node]] = [:]
    /// Added nodes, by the index of the node that they directly precede.
    private var inserted: [Int: [Graph.Node]] = [:]

    /// Starts editing `graph`.
    ///
    /// - Parameters:
    ///   - types: The known types of its values; empty when none is known.
    ///   - weightElementCount: The number of elements of all arrays before anything was folded.
    package init(_ graph: Graph, types: [SymbolicType?], weightElementCount: Int) {
        self.graph = graph
        self.weightElementCount = weightElementCount
        self.types = types
        nodes = graph.nodes
        operators = graph.nodes.map { ObjectIdentifier(Swift.type(of: $0.operation)) }
        origins = Array(repeating: nil, count: graph.values.count)
        readCounts = Array(repeating: 0, count: graph.values.count)
        isOutput = Array(repeating: false, count: graph.values.count)
        replacements = Array(repeating: nil, count: graph.values.count)
        for (index, node) in graph.nodes.enumerated() {
            for output in node.outputs { if let output { origins[output.index] = index } }
            for input in node.inputs { if let input { readCounts[input.index] += 1 } }
        }
        for id in graph.outputs { isOutput[id.index] = true }
    }

    /// The indices of the nodes, in topological order; some may be removed.
    package var indices: Range<Int> { nodes.indices }

    /// The node at `index` with all edits; nil when it is removed.
    package func node(_ index: Int) -> Graph.Node? {
        guard let node = nodes[index] else { return nil }
        return resolved(node)
    }

    /// Whether the node at `index` has one of some types of operators.
    func isNode(_ index: Int, ofOneOf types: [ObjectIdentifier]) -> Bool { types.contains(operators[index]) }

    private func resolved(_ node: Graph.Node) -> Graph.Node {
        guard hasReplacements else { return node }
        var resolved = node
        for (position, input) in node.inputs.enumerated() {
            guard let input, replacements[input.index] != nil else { continue }
            resolved.inputs[position] = current(input)
        }
        return resolved
    }

    /// The name of a value.
    package func name(_ id: Graph.ValueID) -> String { graph[id].name }

    /// The content of a value, when it is part of the network.
    package func constant(_ id: Graph.ValueID?) -> Tensor? { id.flatMap { graph.initializers[$0] } }

    /// The type of a value, when it can be known before the network runs.
    package func type(_ id: Graph.ValueID?) -> SymbolicType? {
        guard let id else { return nil }
        if let tensor = graph.initializers[id] { return SymbolicType(tensor.elementType, Shape(tensor.shape)) }
        return id.index < types.count ? types[id.index] : nil
    }

    /// The index of the node that computes a value.
    package func origin(_ id: Graph.ValueID?) -> Int? { id.flatMap { origins[$0.index] } }

    /// The number of node inputs that read a value.
    package func readCount(_ id: Graph.ValueID) -> Int { readCounts[id.index] }

    /// Whether a caller receives the value.
    package func isOutput(_ id: Graph.ValueID) -> Bool { isOutput[id.index] }

    /// The node that computes only this value, provided that a single node input reads it and that it is no output.
    package func soleOrigin(_ id: Graph.ValueID?) -> (index: Int, node: Graph.Node)? {
        guard let id, readCounts[id.index] == 1, !isOutput[id.index], let index = origins[id.index],
            let node = node(index), node.outputs.count == 1
        else { return nil }
        return (index, node)
    }

    /// Records what happened to `node`.
    package mutating func note(_ node: Graph.Node, _ message: String) {
        changes.append(RewriteChange(node: node.name, message: message))
    }

    /// Records what happened to arrays.
    package mutating func noteArrays(_ message: String) {
        changes.append(RewriteChange(node: "arrays", message: message))
    }

    /// Puts `node` in the place of the one at `index`.
    package mutating func replace(_ index: Int, with node: Graph.Node) {
        for input in node.inputs { if let input { readCounts[current(input).index] += 1 } }
        remove(index)
        nodes[index] = node
        operators[index] = ObjectIdentifier(Swift.type(of: node.operation))
        for output in node.outputs { if let output { origins[output.index] = index } }
    }

    /// Removes the node at `index`; nothing may read what it computed.
    package mutating func remove(_ index: Int) {
        guard let node = node(index) else { return }
        nodes[index] = nil
        for output in node.outputs {
            if let output, origins[output.index] == index { origins[output.index] = nil }
        }
        for input in node.inputs { if let input { dropRead(input) } }
    }

    /// Makes the node at `producer` compute the result of the node at `consumer`, and removes the consumer.
    ///
    /// - Parameter node: The new producer, whose output this method sets.
    package mutating func absorb(_ consumer: Int, into producer: Int, as node: Graph.Node) {
        guard let absorbed = self.node(consumer) else { return }
        var node = node
        node.outputs = absorbed.outputs
        replace(producer, with: node)
        remove(consumer)
        for output in absorbed.outputs { if let output { origins[output.index] = producer } }
    }

    /// Removes the node at `index`, whose first output equals `source`, so that `source` is read instead.
    ///
    /// An output of the graph keeps its name: in this case the node that computes `source` writes the output.
    ///
    /// - Returns: Whether that is possible. It is not when callers provide or receive both values.
    package mutating func bypass(_ index: Int, readingInstead source: Graph.ValueID) -> Bool {
        guard let node = node(index), let result = node.outputs.first ?? nil else { return false }
        let source = current(source)
        guard isOutput[result.index] else {
            readCounts[source.index] += readCounts[result.index]
            readCounts[result.index] = 0
            replacements[result.index] = source
            hasReplacements = true
            remove(index)
            return true
        }
        guard !isOutput[source.index], let producer = origins[source.index], var origin = self.node(producer) else {
            return false
        }
        origin.outputs = origin.outputs.map { $0 == source ? result : $0 }
        remove(index)
        readCounts[result.index] += readCounts[source.index]
        readCounts[source.index] = 0
        replacements[source.index] = result
        hasReplacements = true
        nodes[producer] = origin
        origins[source.index] = nil
        origins[result.index] = producer
        return true
    }

    /// Replaces the node at `index` by the content of its results.
    package mutating func settle(_ index: Int, as contents: [Tensor]) {
        guard let node = node(index) else { return }
        for (output, content) in zip(node.outputs, contents) {
            if let output, readCounts[output.index] > 0 { graph.initializers[output] = content }
        }
        remove(index)
    }

    /// Adds `node` right after the one at `index`; the rewrite that adds it does not see it.
    package mutating func add(_ node: Graph.Node, after index: Int) {
        for input in node.inputs { if let input { readCounts[current(input).index] += 1 } }
        added[index, default: []].append(node)
    }

    /// Adds nodes before the one at `index`, in their order; the rewrite that adds them does not visit them.
    package mutating func insert(_ nodes: [Graph.Node], before index: Int) {
        for node in nodes {
            for input in node.inputs { if let input { readCounts[current(input).index] += 1 } }
        }
        inserted[index, default: []] += nodes
    }

    /// Adds an array called `name`; if the name is taken, something is appended.
    package mutating func addConstant(_ name: String, _ tensor: Tensor) -> Graph.ValueID {
        let id = addValue(name)
        graph.initializers[id] = tensor
        graph.values[id.index].elementType = tensor.elementType
        graph.values[id.index].shape = Shape(tensor.shape)
        return id
    }

    /// Adds a value called `name`; if the name is taken, something is appended.
    ///
    /// - Parameter type: The value's type, when known.
    package mutating func addValue(_ name: String, _ type: SymbolicType? = nil) -> Graph.ValueID {
        if takenNames.isEmpty { takenNames = Set(graph.values.map(\.name)) }
        var unique = name
        var number = 2
        while !takenNames.insert(unique).inserted {
            unique = "\(name).\(number)"
            number += 1
        }
        origins.append(nil)
        readCounts.append(0)
        isOutput.append(false)
        replacements.append(nil)
        if type != nil {
            types += [SymbolicType?](repeating: nil, count: max(0, graph.values.count - types.count)) + [type]
        }
        return graph.addValue(unique)
    }

    /// Changes the content of a constant for one of the node inputs that read it; the shape stays.
    ///
    /// - Returns: The constant itself, or a new one with a similar name when something else reads the old content.
    package mutating func revise(_ id: Graph.ValueID, _ tensor: Tensor) -> Graph.ValueID {
        guard readCounts[id.index] == 1, !isOutput[id.index] else {
            return addConstant("\(graph[id].name).folded", tensor)
        }
        graph.initializers[id] = tensor
        return id
    }

    /// Drops arrays that nothing reads.
    ///
    /// - Returns: The number of dropped arrays.
    package mutating func dropUnreadArrays() -> Int {
        let unread: (Graph.ValueID) -> Bool = { [readCounts, isOutput] id in
            readCounts[id.index] == 0 && !isOutput[id.index]
        }
        let names = graph.initializers.keys.filter(unread)
        for id in names { graph.initializers[id] = nil }
        let weights = graph.missingWeights.count
        graph.missingWeights.removeAll(where: unread)
        return names.count + weights - graph.missingWeights.count
    }

    /// The graph with all changes made.
    package func finished() -> Graph {
        var graph = graph
        if inserted.isEmpty, added.isEmpty {
            graph.nodes = indices.compactMap(node)
            return graph
        }
        graph.nodes = indices.flatMap { index in
            (inserted[index] ?? []).map(resolved) + (node(index).map { [$0] } ?? [])
                + (added[index] ?? []).map(resolved)
        }
        return graph
    }

    private func current(_ id: Graph.ValueID) -> Graph.ValueID {
        var id = id
        while let next = replacements[id.index] { id = next }
        return id
    }

    private mutating func dropRead(_ id: Graph.ValueID) {
        readCounts[id.index] -= 1
        if readCounts[id.index] == 0, !isOutput[id.index] { graph.initializers[id] = nil }
    }
}
