import Graphs
import Tensors

/// Layers that hold networks. These read and give anew the values of the network around, by name.
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

    /// A value under another name, or in the place of another.
    static func copy(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try network.output(layer, try network.writer.apply(Identity(), [try network.input(layer)]))
    }

    /// One of two networks, chosen by whether the input is not 0.
    static func branch(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let condition = try network.truth(try network.writer.reshaped(try network.input(layer), []))
        let first = try network.nested([try layer.parameters.message(BranchField.first)])
        let second = try network.nested([try layer.parameters.message(BranchField.second)])
        // What both give, and what one gives in the place of a value that is there already.
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

    /// A network run while a condition that it, or another network before each run, gives is not 0, and no more often
    /// than given.
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
        guard !carried.isEmpty else { throw .invalid("its body gives nothing anew") }
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
    /// Networks of a layer, translated one behind the other on their own.
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

    /// The names of all values that the layers of a network give, and those of the networks inside.
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

    /// The body of a loop: iteration, condition and what is carried along become condition and the carried anew.
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

    /// The graph of a nested network that gives the values called so, and what it reads of the network around.
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

    /// The values that nested networks read.
    fileprivate func captured(_ names: [String]) throws(FormatError) -> [Graph.ValueID] {
        var ids: [Graph.ValueID] = []
        for name in names {
            guard let id = value(name) else { throw .invalid("reads \"\(name)\", which nothing provides") }
            ids.append(id)
        }
        return ids
    }
}
