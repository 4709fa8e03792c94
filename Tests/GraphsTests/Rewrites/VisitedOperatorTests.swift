import Graphs
import Testing

@Suite("The operators at which rewrites begin")
struct VisitedOperatorTests {
    private static let rewrites = Rewrites.all.compactMap { $0 as? any NodeRewrite }

    @Test("A rewrite changes nothing at the nodes that it passes over", arguments: Networks.all.map(\.name))
    func passesOver(name: String) throws {
        let graph = try #require(Networks.find(name)).build().seeded(1)
        let types = try graph.inferSymbolicTypes() ?? []
        for rewrite in Self.rewrites {
            guard let visited = type(of: rewrite).visited?.map({ ObjectIdentifier($0) }) else { continue }
            var edit = GraphEdit(graph, types: types, weightElementCount: graph.parameterCount)
            for index in edit.indices {
                guard let node = edit.node(index), !visited.contains(ObjectIdentifier(type(of: node.operation))) else {
                    continue
                }
                try rewrite.visit(node, at: index, in: &edit)
            }
            #expect(edit.changes.isEmpty, "\(type(of: rewrite).name): \(edit.changes.prefix(3))")
        }
    }
}
