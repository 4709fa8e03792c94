import Graphs

extension Graph {
    /// Infers all types once, for one image, so that shapes that contradict each other are found when a file is read.
    ///
    /// Does nothing when an input has an extent other than its first that only a run will bring.
    ///
    /// - Throws: ``GraphError`` naming the node whose shape rule refuses.
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
        _ = try inferTypes(inputShapes: shapes)
    }
}
