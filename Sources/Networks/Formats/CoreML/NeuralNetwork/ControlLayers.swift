import Graphs
import Tensors

/// Layers that hold networks. Nested networks read and reassign values of the surrounding network by name.
extension LayerKind {
    /// The networks of a branch.
    private enum BranchField: Int, MessageField {
        case first = 1, second
    }

    /// The networks of a loop.
    private enum LoopField: Int, MessageField {
        case condition = 3, body
    }

    /// The fields of the networks that a layer of this kind holds.
    fileprivate var networkFields: [any MessageField] {
        switch field {
        case .branch: BranchField.allCases
        case .loop: LoopField.allCases
        default: []
        }
    }

    /// Copies a value to another name; a value that has that name is replaced.
    static func copy(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try network.output(layer, try network.writer.apply(Identity(), [try network.input(layer)]))
    }

    /// Runs one of two networks, depending on whether the input is 0.
    static func branch(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let condition = try network.truth(try network.writer.reshaped(try network.input(layer), []))
        let first = try network.nested([try layer.parameters.message(BranchField.first)])
        let second = try network.nested([try layer.parameters.message(BranchField.second)])
        // The outputs are the values that both networks assign, and those present before that one of them reassigns.
        let given = Set(first.assigned).union(second.assigned).sorted()
        let results = given.filter { name in
            [first, second].allSatisfy { $0.assigned.contains(name) || network.value(name) != nil }
        }
        guard !results.isEmpty else { return }
        let branches = [try first.finished(results), try second.finished(results)]
        let outputs = try network.writer.apply(
            If(then: branches[0].graph, otherwise: branches[1].graph),
            [condition] + (try network.captured(branches.flatMap(\.captures))), outputCount: results.count)
        for (name, id) in zip(results, outputs) { network.define(name, id) }
    }

    /// Runs a network while a condition is not 0, at most a given number of times. The body gives the condition, or
    /// another network before each run.
    static func loop(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLLoopParameters.self, without: LoopField.self)
        var parts = [try layer.parameters.message(LoopField.body)]
        if layer.parameters.contains(LoopField.condition) {
            parts.append(try layer.parameters.message(LoopField.condition))
            try network.translate(parts[1])
        }
        var given: Set<String> = []
        for part in parts { try network.collectNames(givenBy: part, into: &given) }
        let carried = given.sorted().filter { network.value($0) != nil }
        guard !carried.isEmpty else { throw .invalid("its body assigns no value that exists before it") }
        var condition: Graph.ValueID?
        if !p.condition.isEmpty {
            guard let id = network.value(p.condition) else {
                throw .invalid("its condition \"\(p.condition)\" is given by nothing before it")
            }
            condition = try network.truth(try network.writer.reshaped(id, []))
        }
        let loop = try network.loopBody(parts, carried: carried, condition: p.condition)
        var count: Graph.ValueID?
        if !layer.inputs.isEmpty {
            count = try network.integers(try network.writer.reshaped(try network.input(layer), []))
        } else if p.iterations > 0 {
            count = network.writer.constant(
                try LayerWriter.tensor([Int64(clamping: p.iterations)], []), "iterations")
        }
        let inputs = [count, condition] + (try network.captured(carried + loop.captures))
        let outputs = try network.writer.apply(Loop(body: loop.graph), inputs, outputCount: carried.count)
        for (name, id) in zip(carried, outputs) { network.define(name, id) }
    }
}

extension NetworkTranslator {
    /// Translates networks of a layer one after another, in a translator of their own.
    fileprivate func nested(
        _ messages: [CoreMLMessage], prepare: (NetworkTranslator) throws(FormatError) -> Void = { _ in }
    ) throws(FormatError) -> NetworkTranslator {
        try checkDepth()
        let inner = NetworkTranslator(rule: rule, name: writer.scope, in: self)
        try prepare(inner)
        for message in messages { try inner.translate(message) }
        return inner
    }

    private func checkDepth(_ more: Int = 0) throws(FormatError) {
        guard depth + more < Self.depthLimit else {
            throw .unsupported("networks lie inside one another more than \(Self.depthLimit) deep")
        }
    }

    /// Collects the names of all values that the layers of a network assign, including nested networks.
    fileprivate func collectNames(
        givenBy network: CoreMLMessage, into names: inout Set<String>, depth: Int = 1
    ) throws(FormatError) {
        try checkDepth(depth)
        for range in network.ranges(NetworkField.layers) {
            let layer = try Layer(try CoreMLMessage(network.content, range))
            names.formUnion(layer.outputs)
            for field in layer.kind.networkFields {
                try collectNames(givenBy: try layer.parameters.message(field), into: &names, depth: depth + 1)
            }
        }
    }

    /// The body of a loop. It turns the iteration, the condition and the carried values into the next condition and
    /// carried values.
    fileprivate func loopBody(
        _ parts: [CoreMLMessage], carried: [String], condition: String
    ) throws(FormatError) -> (graph: Subgraph, captures: [String]) {
        let inner = try nested(parts) { inner throws(FormatError) in
            _ = inner.writer.capture("iteration", TensorType(.int64, []))
            _ = inner.writer.capture("condition", TensorType(.bool, []))
            for name in carried {
                inner.define(name, inner.writer.capture(name, self.value(name).flatMap { self.writer.type(of: $0) }))
            }
        }
        inner.writer.scope = "condition"
        if condition.isEmpty {
            try inner.writer.output(inner.writer.constant(try LayerWriter.tensor([true], [])))
        } else {
            guard let id = inner.value(condition) else { throw .invalid("its condition has no value") }
            try inner.writer.output(try inner.truth(try inner.writer.reshaped(id, [])))
        }
        return try inner.finished(carried, formalInputCount: carried.count + 2)
    }

    /// The graph of a nested network with outputs of these names, and the values that it reads from the surrounding
    /// network.
    fileprivate func finished(
        _ results: [String], formalInputCount: Int = 0
    ) throws(FormatError) -> (graph: Subgraph, captures: [String]) {
        for name in results {
            guard let id = value(name) else { throw .invalid("gives no \"\(name)\"") }
            try writer.output(id)
        }
        var graph = writer.graph
        try graph.finishBody()
        return (Subgraph(graph, formalInputCount: formalInputCount), captures)
    }

    /// The values of the surrounding network that nested networks read.
    fileprivate func captured(_ names: [String]) throws(FormatError) -> [Graph.ValueID] {
        var ids: [Graph.ValueID] = []
        for name in names {
            guard let id = value(name) else { throw .invalid("reads \"\(name)\", which nothing provides") }
            ids.append(id)
        }
        return ids
    }
}
