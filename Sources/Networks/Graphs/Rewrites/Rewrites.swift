/// The rewrites that declutter a graph.
package enum Rewrites {
    /// All rewrites in the order of application: first those that remove nodes, so that others become adjacent; then
    /// those that fold into weights; then those that fuse into the node before; then those that merge siblings; last
    /// the removal of unread nodes and arrays.
    package static let all: [any Rewrite] = [
        DropIdentity(),
        DropDropout(),
        UseIntegerArithmetic(),
        FuseQuantizedProduct(),
        FuseIntegerConvolution(),
        UseExactFloats(),
        // Drops the dequantization of weights that integer arithmetic reads directly.
        DropDeadNodes(),
        ConstantFolding(),
        ReplaceSumByAdd(),
        ReplaceEinsumByMatMul(),
        ReplaceGemmByMatMul(),
        DropNoOpReshape(),
        DropNoOpTranspose(),
        MoveBatchTranspose(),
        ReplaceMatMulByConv(),
        DropNoOpPad(),
        MergePad(),
        DropPaddedTaps(),
        UseGlobalAveragePool(),
        FuseElementwiseFunction(),
        FuseLayerNormalization(),
        FuseAttention(),
        DropDeadNodes(),
        MoveTranspose(),
        FoldBatchNormalization(),
        MergeAddedConvolutions(),
        FoldScaleAndShift(),
        ReplaceConvTranspose(),
        ReplaceBatchNormalization(),
        MoveReshape(),
        FoldIntoNextConvolution(),
        FoldIntoNextProduct(),
        FuseBias(),
        FuseProductBias(),
        FuseAddend(),
        FuseProductAddend(),
        FuseNarrowProductAddend(),
        FuseActivation(),
        FuseCurvedActivation(),
        MergeSiblingConvolutions(),
        ShareConcatPrefix(),
        DropDeadNodes(),
    ]

    /// The rewrites whose results can be expressed in ONNX.
    package static var exportable: [any Rewrite] { all.filter { type(of: $0).isExportable } }

    /// The maximum number of rounds through the list. One round finds nearly everything, the next confirms it.
    package static let roundLimit = 8

    /// Applies rewrites in order, round by round, until a round changes nothing.
    ///
    /// Inputs, outputs and their names stay. Other values keep their ``Graph/ValueID``, but may lose their origin.
    /// Rewrites that need shapes apply where these are known for every batch size; a graph made by
    /// ``Graph/specialized(inputShapes:)`` has all shapes.
    ///
    /// - Parameter types: The type of each value, where known, indexed like ``Graph/values``; inferred when nil.
    /// - Returns: The new graph, one report per rewrite in the order of `rewrites`, and the types of the new graph's
    ///   values, where known; the last values may lack a type.
    /// - Throws: ``GraphError`` when the graph is not valid; ``GraphError/rewrite(name:message:)`` when a rewrite
    ///   produces an invalid graph.
    package static func declutter(
        _ graph: Graph, types: [SymbolicType?]? = nil, using rewrites: [any Rewrite] = all
    ) throws(GraphError) -> (graph: Graph, reports: [RewriteReport], types: [SymbolicType?]) {
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
                    // A model's excessive demand is not an error of the rewrite.
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
        return (graph, reports, types)
    }
}
