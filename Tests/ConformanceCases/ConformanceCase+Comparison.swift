import Tensors

extension ConformanceCase {
    /// The inputs that are not initializers.
    package func givenInputs() throws -> [Tensor] {
        zip(inputs, try makeInputs()).compactMap { input, tensor in input?.isConstant == false ? tensor : nil }
    }

    /// Whether every finite number of the inputs is one of float16.
    package func isInRangeOfFloat16() throws -> Bool {
        try makeInputs().compactMap { $0 }.allSatisfy { input in
            input.elements(as: Double.self).allSatisfy { !$0.isFinite || abs($0) < 65_504 }
        }
    }

    /// How outputs differ from the operator's own evaluation, in words; nil where they agree.
    ///
    /// - Parameter roundsFactors: Whether the factors of products are rounded to 10 bits after the leading one, so that
    ///   the outputs as a whole are compared.
    package func difference(_ outputs: [Tensor], roundsFactors: Bool) throws -> String? {
        for (index, (output, expected)) in zip(outputs, try expectedOutputs()).enumerated() {
            guard output.shape == expected.shape else { return "output \(index) is \(output.shape)" }
            if roundsFactors {
                let error = Self.relativeError(output, expected)
                guard error < 0.01 else { return "output \(index) differs by \(error) of its norm" }
                continue
            }
            let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
            if let wrong = pairs.first(where: { !tolerance.accepts($0.0, expected: $0.1) }) {
                return "output \(index) has \(wrong.0), not \(wrong.1)"
            }
        }
        return nil
    }

    /// ‖output − expected‖ ÷ ‖expected‖ over the elements that are finite in both; infinite where one alone is finite.
    private static func relativeError(_ output: Tensor, _ expected: Tensor) -> Double {
        var (error, norm) = (0.0, 0.0)
        for (found, wanted) in zip(output.elements(as: Double.self), expected.elements(as: Double.self)) {
            guard found.isFinite == wanted.isFinite else { return .infinity }
            guard found.isFinite else { continue }
            error += (found - wanted) * (found - wanted)
            norm += wanted * wanted
        }
        return norm == 0 ? error : (error / norm).squareRoot()
    }
}
