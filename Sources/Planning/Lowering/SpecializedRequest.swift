import Graphs

/// A request in the form that the lowerings of one kind of operator need. It depends on the node, the types, the
/// constants and the order of images, but on neither layouts nor threads, so that all lowerings share one reading.
package protocol SpecializedRequest: Sendable {
    /// Why no node with this operator can be read in this form; nil when one may be.
    static func refusal(of operation: any Operator) -> LoweringRefusal?

    /// Reads a request whose operator was not refused.
    ///
    /// - Throws: ``LoweringRefusal`` with what the lowerings do not support.
    init(_ request: LoweringRequest) throws(LoweringRefusal)
}

/// Why a lowering does not run a node.
package struct LoweringRefusal: Error {
    /// The reason as a phrase: `kernel is 3×3, not 1×1`.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

extension LoweringRequest {
    /// The request in the form that the lowerings of one kind of operator need, from an earlier call when there was
    /// one.
    package func specialized<Special: SpecializedRequest>() throws(LoweringRefusal) -> Special {
        if let refusal = Special.refusal(of: operation) { throw refusal }
        return try readings.reading(self).get()
    }
}
