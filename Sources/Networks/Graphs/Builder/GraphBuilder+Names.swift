extension GraphBuilder {
    /// Runs `body` with the name of a new block before the names of layers.
    func block(_ kind: String, _ body: () -> Value) -> Value {
        var layer = nextLayer(kind)
        layer.isBlock = true
        takenNodeNames.insert(layer.name)
        scopes.append(String(layer.name.dropFirst(layer.parent.count)))
        let result = body()
        scopes.removeLast()
        return Value(builder: self, id: result.id, layer: layer.ending(in: graph))
    }

    func path(_ name: String) -> String { scopes.map { $0 + "/" }.joined() + name }

    func nextLayer(_ kind: String) -> Layer {
        Layer(nextName(kind), nodes: graph.nodes.count, values: graph.values.count, parent: path(""))
    }

    private func nextName(_ kind: String) -> String {
        let stem = path(kind)
        while true {
            counters[stem, default: 0] += 1
            let name = "\(stem)\(counters[stem, default: 0])"
            if !takenNodeNames.contains(name), !takenValueNames.contains(name) { return name }
        }
    }

    /// Renames a layer or block, with all nodes and values in it.
    func rename(_ layer: Layer, to given: String) -> Layer {
        let old = layer.name
        let new = layer.parent + given
        func renamed(_ name: String) -> String? {
            guard name == old || name.hasPrefix(old + "/") || name.hasPrefix(old + ".") else { return nil }
            return new + name.dropFirst(old.count)
        }
        if case .node(let name, let operatorName, let message, let isUnsupported) = firstError {
            if let name = renamed(name) {
                firstError = .node(
                    name: name, operatorName: operatorName, message: message, isUnsupported: isUnsupported)
            }
        }
        var result = layer
        result.name = new
        guard firstError == nil, new != old else { return result }
        if layer.isBlock {
            takenNodeNames.remove(old)
            guard takenNodeNames.insert(new).inserted else { return refused(new, layer) }
        }
        for index in layer.nodes {
            guard let name = renamed(graph.nodes[index].name) else { continue }
            takenNodeNames.remove(graph.nodes[index].name)
            guard takenNodeNames.insert(name).inserted else { return refused(name, layer) }
            graph.nodes[index].name = name
        }
        for index in layer.values {
            guard let name = renamed(graph.values[index].name) else { continue }
            takenValueNames.remove(graph.values[index].name)
            guard takenValueNames.insert(name).inserted else { return refused(name, layer) }
            graph.values[index].name = name
        }
        return result
    }

    private func refused(_ name: String, _ layer: Layer) -> Layer {
        fail(.value(name: name, message: "the name is taken; \"\(layer.name)\" cannot have it"), layer).layer
    }
}
