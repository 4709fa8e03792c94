import Graphs
import Platform

extension Model {
    /// The model with one value of the network as its only output: one of the outputs, or the result of any node, by
    /// the name that `apus inspect --nodes` shows.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when no node gives a value of that name.
    package func giving(_ name: String) throws(ApusError) -> Model {
        if graph.outputs.count == 1, graph[graph.outputs[0]].name == name { return self }
        // Rewrites may have removed the value, so that they are applied again to the file's own network.
        let results = source.nodes.flatMap { $0.outputs.compactMap { $0 } } + source.outputs
        guard let id = results.first(where: { source[$0].name == name }) else {
            let outputs = source.outputs.map { "\"\(source[$0].name.printable)\"" }.joined(separator: ", ")
            throw .usage(
                "\(self.name): no node gives \"\(name.printable)\"; the outputs are \(outputs), and apus inspect "
                    + "--nodes lists all values")
        }
        var changed = source
        changed.outputs = [id]
        var model = try Model(changed, name: self.name)
        model.describe(as: self)
        if model.scoresName != name { model.scoresName = nil }
        model.continuation = nil
        return model
    }
}
