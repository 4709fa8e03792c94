extension Subgraph {
    /// The shape of a counter or condition as the body declares it: no axis, or one.
    func scalarShape(ofInput index: Int) -> [Int] {
        graph[graph.inputs[index]].shape?.rank == 1 ? [1] : []
    }
}
