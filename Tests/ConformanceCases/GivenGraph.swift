import Graphs
import Tensors

/// A network and its inputs.
package struct GivenGraph {
    package var graph: Graph
    package var inputs: [Tensor]

    package init(_ graph: Graph, _ inputs: [Tensor]) {
        self.graph = graph
        self.inputs = inputs
    }

    /// A smaller network that fails, too: of the values before it the first that fails as the only output, with nodes
    /// replaced by their results where it then still fails.
    package func reduced(_ fails: (GivenGraph) -> Bool) -> GivenGraph {
        guard let values = try? results() else { return self }
        var smallest = self
        for node in graph.nodes {
            for output in node.outputs.compactMap({ $0 }) {
                let part = giving(output)
                guard fails(part) else { continue }
                smallest = part
                return smallest.withoutNodes(values, fails)
            }
        }
        return smallest.withoutNodes(values, fails)
    }

    private func withoutNodes(_ values: [Graph.ValueID: Tensor], _ fails: (GivenGraph) -> Bool) -> GivenGraph {
        var smallest = self
        for node in graph.nodes.dropLast() {
            guard let position = smallest.graph.nodes.firstIndex(where: { $0.name == node.name }) else { continue }
            var part = smallest
            part.graph.nodes.remove(at: position)
            for output in node.outputs.compactMap({ $0 }) {
                guard let value = values[output] else { continue }
                part.graph.inputs.append(output)
                part.graph.values[output.index].shape = Shape(value.shape)
                part.graph.values[output.index].elementType = value.elementType
                part.inputs.append(value)
            }
            part.drop()
            if fails(part) { smallest = part }
        }
        return smallest
    }

    /// Every value that a node computes, by the operators' own evaluation.
    private func results() throws -> [Graph.ValueID: Tensor] {
        var whole = graph
        whole.outputs = graph.nodes.flatMap { $0.outputs.compactMap { $0 } }
        let tensors = try ReferenceEvaluation.run(whole, inputs)
        return Dictionary(zip(whole.outputs, tensors)) { first, _ in first }
    }

    /// The part of the network that computes one value.
    private func giving(_ value: Graph.ValueID) -> GivenGraph {
        var part = self
        part.graph.outputs = [value]
        part.drop()
        return part
    }

    /// Removes nodes and inputs that no output depends on.
    private mutating func drop() {
        var needed = Set(graph.outputs)
        for node in graph.nodes.reversed() where node.outputs.contains(where: { $0.map(needed.contains) ?? false }) {
            needed.formUnion(node.inputs.compactMap { $0 })
        }
        graph.nodes.removeAll { node in !node.outputs.contains { $0.map(needed.contains) ?? false } }
        let kept = graph.inputs.indices.filter { needed.contains(graph.inputs[$0]) }
        inputs = kept.map { inputs[$0] }
        graph.inputs = kept.map { graph.inputs[$0] }
    }

    /// The network in words, for a failure's message.
    package var listing: String {
        let nodes = graph.nodes.map { node in
            let reads = node.inputs.map { input in
                input.map { "\(graph[$0].name)\(graph.initializers[$0].map { " \($0.shape)" } ?? "")" } ?? "–"
            }
            return "\(node.outputs.compactMap { $0.map { graph[$0].name } }.joined(separator: ", ")) = "
                + "\(node.operatorName)(\(reads.joined(separator: ", "))) \(node.operation.attributes)"
        }
        let shapes = zip(graph.inputs, inputs).map { "\(graph[$0].name) \($1.elementType)\($1.shape)" }
        return (shapes + nodes + ["outputs " + graph.outputs.map { graph[$0].name }.joined(separator: ", ")])
            .joined(separator: "\n")
    }
}
