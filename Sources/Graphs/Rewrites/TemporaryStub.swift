package struct RewriteChange: Sendable, Hashable { package var node: String; package var message: String }
package struct RewriteReport: Sendable { package var name: String; package var summary: String; package var changes: [RewriteChange] }
package enum Rewrites { package static func declutter(_ g: Graph) throws(GraphError) -> (graph: Graph, reports: [RewriteReport]) { (g, []) } }
public enum Networks { public struct Entry: Sendable { public let name: String; public let build: @Sendable () throws(GraphError) -> Graph }
 public static let all: [Entry] = []; public static func find(_ n: String) -> Entry? { nil } }
extension Graph { public func seeded(_ s: UInt64) throws(GraphError) -> Graph { self }
 package func annotated() throws(GraphError) -> Graph { self } }
