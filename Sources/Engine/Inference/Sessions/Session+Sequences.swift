import Platform
import Tensors

extension Session {
    /// Runs the network on every element of an asynchronous sequence, and gives the outputs in the same order.
    ///
    ///     for try await outputs in session.predictions(for: frames) { print(outputs) }
    ///
    /// - Parameters:
    ///   - inputs: For every run, a tensor for every input, by name.
    ///   - count: The number of runs that may be in flight, which includes results that were not asked for yet. By
    ///     default it is the number of streams plus one.
    /// - Returns: A sequence that throws ``ApusError`` as `predict(_:)` does, and what `inputs`
    ///   throws.
    public func predictions<Inputs: AsyncSequence & Sendable>(
        for inputs: Inputs, inFlight count: Int? = nil
    ) -> OrderedResults<[String: Tensor]> where Inputs.Element == [String: Tensor] {
        OrderedResults(of: inputs, limit: count ?? options.streams + 1) { try await self.predict($0) }
    }
}
