/// The rewrites that declutter a graph.
package enum Rewrites {
    /// Every rewrite, in the order of application: first what removes nodes, so that neighbours meet; then what folds
    /// into weights; then what fuses into the node before; then what merges neighbours; last what nothing reads any
    /// more.
    package static let all: [any Rewrite] = [
        DropIdentity(),
        DropDropout(),
        UseIntegerArithmetic(),
        UseExactFloats(),
        // Weights that are integers now are no longer made numbers of.
        DropDeadNodes(),
        ConstantFolding(),
        ReplaceSumByAdd(),
        DropNoOpReshape(),
        DropNoOpTranspose(),
        MergePad(),
        UseGlobalAveragePool(),
        FuseElementwiseFunction(),
        FuseLayerNormalization(),
        FuseAttention(),
        DropDeadNodes(),
        MoveTranspose(),
        FoldBatchNormalization(),
        FoldScaleAndShift(),
        FoldIntoNextConvolution(),
        FuseBias(),
        FuseProductBias(),
        FuseAddend(),
        FuseProductAddend(),
        FuseActivation(),
        FuseCurvedActivation(),
        MergeSiblingConvolutions(),
        DropDeadNodes(),
    ]

    /// Those whose results can be written in ONNX's terms.
    package static var exportable: [any Rewrite] { all.filter { type(of: $0).isExportable } }

    /// The most times that the list is gone through; one round finds nearly everything, the next confirms it.
    package static let roundLimit = 8

    /// Applies rewrites in order, again and again until none finds anything to do.
    ///
    /// Inputs, outputs and their names stay; other values keep their ``Graph/ValueID``, though nothing may provide them
    /// any more. What needs shapes is done where they are known for every batch size; a graph made by
    /// ``Graph/specialized(inputShapes:)`` knows all.
    ///
    /// - Parameter types: What is known of each value, indexed like ``Graph/values``; inferred when nil.
    /// - Returns: The new graph, and one report per rewrite in the order of `rewrites`.
    /// - Throws: ``GraphError`` when the graph is not valid; ``GraphError/rewrite(name:message:)`` when a rewrite leaves
    ///   one that is not.
    package static func declutter(
        _ graph: Graph, types: [SymbolicType?]? = nil, using rewrites: [any Rewrite] = all
    ) throws(GraphError) -> (graph: Graph, reports: [RewriteReport]) {
        try graph.validate()
        var graph = graph
        var reports = rewrites.map {
            RewriteReport(name: type(of: $0).name, summary: type(of: $0).summary, changes: [])
        }
        var types = types ?? (try? graph.inferSymbolicTypes()).flatMap { $0 } ?? []
        let weightElementCount = graph.initializers.values.reduce(0) { sum, tensor in
            let (total, overflow) = sum.addingReportingOverflow(tensor.elementCount)
            return overflow ? .max : total
        }
        var edit = GraphEdit(graph, types: types, weightElementCount: weightElementCount)
        for _ in 0..<roundLimit {
            var isSettled = true
            for (index, rewrite) in rewrites.enumerated() {
                do throws(GraphError) {
                    try rewrite.apply(to: &edit)
                    if edit.changes.isEmpty { continue }
                    graph = edit.finished()
                    try graph.validate()
                } catch {
                    // What a model asks for too much of is not the rewrite's doing.
                    if error.isUnsupported { throw error }
                    throw .rewrite(name: type(of: rewrite).name, message: error.description)
                }
                reports[index].changes += edit.changes
                types = edit.types
                edit = GraphEdit(graph, types: types, weightElementCount: weightElementCount)
                isSettled = false
            }
            if isSettled { break }
        }
        return (graph, reports)
    }
}
