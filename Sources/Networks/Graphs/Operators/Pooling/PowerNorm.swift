/// The p-norm that LpPool and GlobalLpPool share: (Σ |x|ᵖ)^(1/p).
///
/// Attributes: `p` (2).
package struct PowerNorm: Sendable, Equatable {
    package var power: Double

    package init(power: Double = 2) {
        self.power = power
    }

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        power = try attributes.number("p") ?? 2
        guard power > 0 else { throw .invalid("attribute \"p\" is \(power); a positive number is expected") }
    }

    var attributes: [String: AttributeValue] {
        power == 2 ? [:] : ["p": Int64(exactly: power).map(AttributeValue.int) ?? .float(Float(power))]
    }

    func term(_ x: Double) -> Double { power == 1 ? x.magnitude : power == 2 ? x * x : x.magnitude.raised(to: power) }

    func finish(_ sum: Double) -> Double {
        power == 1 ? sum : power == 2 ? sum.squareRoot() : sum.raised(to: 1 / power)
    }
}
