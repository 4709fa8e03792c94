import Graphs

/// A request in the form that the lowerings of one kind of operator need. It depends on the node, the types, the
/// constants and the order of images, but on neither layouts nor threads, so that all lowerings share one reading.
package protocol SpecializedRequest: Sendable {
    /// Whether nodes with an operator of this type may be read in this form.
    static func takes(_ operation: any Operator) -> Bool

    /// Reads a request whose operator is of a type that is taken.
    ///
    /// - Throws: ``LoweringRefusal`` with what the lowerings do not support.
    init(_ request: LoweringRequest) throws(LoweringRefusal)
}

/// Why a lowering does not run a node.
package struct LoweringRefusal: Error {
    /// The answer to the planner.
    package let answer: LoweringResponse

    /// - Parameter reason: A phrase: `kernel is 3×3, not 1×1`.
    package init(_ reason: String) { answer = .decline(reason) }

    private init(_ answer: LoweringResponse) { self.answer = answer }

    /// The operator is of a type that the lowering never runs.
    package static let otherOperator = LoweringRefusal(.otherOperator)
}

extension LoweringRequest {
    /// The request in the form that the lowerings of one kind of operator need, from an earlier call when there was
    /// one.
    package func specialized<Special: SpecializedRequest>() throws(LoweringRefusal) -> Special {
        guard Special.takes(operation) else { throw .otherOperator }
        return try readings.reading(self).get()
    }
}
