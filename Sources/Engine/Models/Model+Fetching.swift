import Graphs
import Platform

extension Model {
    /// The model with further outputs: inner values, which follow the outputs that it has.
    ///
    ///     let model = try Model(contentsOf: "squeezenet1_1.onnx").fetching(["fire2/concat"])
    ///
    /// The values stay as the file describes them: no rewrite fuses them away.
    ///
    /// - Parameter names: Names of values of ``source``. The name of an output changes nothing.
    /// - Throws: ``ApusError/usage(_:)`` when the network has no value of a name.
    public func fetching(_ names: [String]) throws(ApusError) -> Model {
        var graph = source
        var ids: [String: Graph.ValueID] = [:]
        for (index, value) in graph.values.enumerated() { ids[value.name] = ids[value.name] ?? Graph.ValueID(index) }
        for name in names {
            guard let id = ids[name] else {
                throw .usage(
                    "\(self.name): there is no value \"\(name.printable)\"; apus inspect --nodes lists the values")
            }
            if !graph.outputs.contains(id) { graph.outputs.append(id) }
        }
        var model = try Model(graph, name: self.name)
        model.describe(as: self)
        return model
    }
}
