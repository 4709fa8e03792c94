import Graphs

extension Graph {
    /// Sorts the nodes of a graph that was read, and checks that it is valid and that its shapes agree.
    ///
    /// - Throws: ``FormatError/graph(_:)`` naming the value or node that is wrong.
    mutating func finish() throws(FormatError) {
        try finishBody()
        do throws(GraphError) { try checkShapesFit() } catch { throw .graph(error) }
    }

    /// Finishes a nested graph, like ``finish()``. Only the surrounding graph determines the types of its inputs.
    mutating func finishBody() throws(FormatError) {
        do throws(GraphError) {
            try sortTopologically()
            try validate()
        } catch {
            throw .graph(error)
        }
    }
}
