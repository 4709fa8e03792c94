import Graphs

extension Graph {
    /// Infers all types once, for one image, so that contradictory shapes are found when a file is read.
    ///
    /// What only a run determines is no error: extents of an input after its first, shapes that are computed from an
    /// input's content, and the number of rows where the open first axis is not a batch.
    ///
    /// - Throws: ``GraphError`` naming the node whose shape rule fails.
    func checkShapesFit() throws(GraphError) {
        var symbols: [String: Int] = [:]
        for id in inputs {
            if case .symbol(let name) = self[id].shape?.dimensions.first { symbols[name] = 1 }
        }
        var shapes: [[Int]] = []
        for id in inputs {
            guard let extents = self[id].shape?.binding(symbols) else { return }
            shapes.append(extents)
        }
        do throws(GraphError) {
            _ = try inferKnownTypes(inputShapes: shapes)
        } catch {
            guard !error.isUnsupported, acceptedRowCount(shapes) == nil else { return }
            throw error
        }
    }
}
