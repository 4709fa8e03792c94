import Graphs

extension Graph {
    /// Brings the nodes of a graph that was read into order, and checks that it is valid and that its shapes fit together.
    ///
    /// - Throws: ``FormatError/graph(_:)`` naming the value or node that is wrong.
    mutating func finish() throws(FormatError) {
        try finishBody()
        do throws(GraphError) { try checkShapesFit() } catch { throw .graph(error) }
    }

    /// As ``finish()`` for a graph inside a node, the types of whose inputs only the graph around it tells.
    mutating func finishBody() throws(FormatError) {
        do throws(GraphError) {
            try sortTopologically()
            try validate()
        } catch {
            throw .graph(error)
        }
    }
}
