import Graphs
import Platform
import Tensors

extension Model {
    /// A hash of the network that runs: operators, attributes, connections, and every weight. It does not depend on the
    /// file's name.
    ///
    /// Computing it reads every weight once, and keeps none in memory.
    package var fingerprint: String {
        var hash = StableHash()
        let scratch = ScratchMemory()
        for node in graph.nodes {
            hash.combine(node.operatorName)
            for (name, value) in node.operation.attributes.sorted(by: { $0.key < $1.key }) {
                hash.combine(name)
                hash.combine("\(value)")
            }
            for id in node.inputs { hash.combine(id.map { UInt64($0.index) } ?? .max) }
            for id in node.outputs { hash.combine(id.map { UInt64($0.index) } ?? .max) }
        }
        for id in graph.inputs + graph.outputs {
            hash.combine(graph[id].name)
            hash.combine("\(graph[id].shape.map { "\($0)" } ?? "")")
        }
        for (id, tensor) in graph.initializers.sorted(by: { $0.key.index < $1.key.index }) {
            hash.combine(UInt64(id.index))
            hash.combine("\(tensor.elementType)\(tensor.shape)")
            try? scratch.read(tensor) { elements in try elements.withContiguousBytes { hash.combine($0) } }
        }
        return hash.text
    }
}
