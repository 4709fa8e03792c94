import Graphs

/// A request as the lowerings of one kind of operator read it. It depends on the node, the types, the constants and the
/// order of images, and neither on layouts nor on threads, so that it is read once for all lowerings.
package protocol SpecializedRequest: Sendable {
    /// Why no node with this operator can be read so; nil when one may be.
    static func refusal(of operation: any Operator) -> LoweringRefusal?

    /// Reads a request whose operator was not refused.
    ///
    /// - Throws: ``LoweringRefusal`` with what the lowerings do not take.
    init(_ request: LoweringRequest) throws(LoweringRefusal)
}

/// Why a lowering does not run a node.
package struct LoweringRefusal: Error {
    /// A phrase: `kernel is 3×3, not 1×1`.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

extension LoweringRequest {
    /// The request as the lowerings of one kind of operator read it, from an earlier call when there was one.
    package func specialized<Special: SpecializedRequest>() throws(LoweringRefusal) -> Special {
        if let refusal = Special.refusal(of: operation) { throw refusal }
        return try readings.reading(self).get()
    }
}
