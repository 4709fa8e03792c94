import Tensors

/// The comparison of two tensors.
package struct TensorComparison {
    /// The first difference, in words; nil when everything is close enough.
    package let difference: String?

    /// Compares as in ONNX's test runner: |found − expected| ≤ absolute + relative · |expected|, integers exactly.
    package init(_ found: Tensor, _ expected: Tensor, relative: Double = 1e-3, absolute: Double = 1e-7) {
        difference = Self.difference(found, expected, relative, absolute)
    }

    private static func difference(
        _ found: Tensor, _ expected: Tensor, _ relative: Double, _ absolute: Double
    ) -> String? {
        guard found.elementType == expected.elementType, found.shape == expected.shape else {
            return "\(found.elementType)\(found.shape), not \(expected.elementType)\(expected.shape)"
        }
        guard found.elementType.isFloatingPoint else {
            let pair = (found.elements(as: Int64.self), expected.elements(as: Int64.self))
            return zip(pair.0, pair.1).enumerated().first { $1.0 != $1.1 }
                .map { "element \($0) is \($1.0), not \($1.1)" }
        }
        let pair = (found.elements(as: Double.self), expected.elements(as: Double.self))
        let different = zip(pair.0, pair.1).enumerated().first { _, values in
            let (found, expected) = values
            if found == expected || found.isNaN && expected.isNaN { return false }
            return !(abs(found - expected) <= absolute + relative * abs(expected))
        }
        return different.map { "element \($0) is \($1.0), not \($1.1)" }
    }
}
