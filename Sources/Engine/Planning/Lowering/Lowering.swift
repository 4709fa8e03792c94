/// One way to run one kind of node on one kind of device.
package protocol Lowering: Sendable {
    /// The name shown in explanations, such as `pointwise-gemm`.
    var name: String { get }

    /// Says whether and at what cost the lowering can run a node.
    func lower(_ request: LoweringRequest) -> LoweringResponse
}

/// A lowering's answer to a request.
package enum LoweringResponse: Sendable {
    /// A way to run the node. The alternatives are other ways of the same lowering that are expected to be no faster;
    /// measured times may choose them.
    case accept(Candidate, alternatives: [Candidate] = [])
    /// The reason for not running the node, as a phrase: `kernel is 3×3, not 1×1`.
    case decline(String)
    /// The lowering runs no node whose operator is of this type, and is not asked about another one.
    case otherOperator
}
