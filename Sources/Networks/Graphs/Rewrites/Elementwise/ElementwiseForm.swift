/// A function of one number x, as a sum of products: Σ coefficient · xⁿ · f₁ · f₂ ….
///
/// The same function may be written in many orders: its factors and addends are sorted out here by the laws of
/// arithmetic alone, so that equal forms are equal functions. Logistic functions are written by tanh, quotients by
/// 1 + eᵘ as logistic functions, and limits as limits of a form whose first coefficient is 1 and that has no number.
///
/// A form is nil where rounding could not be bounded: where numbers are not between 1/64 and 64, and where equal
/// products cancel each other out.
struct ElementwiseForm: Sendable {
    /// A function of another form that products have as a factor.
    indirect enum Factor: Sendable {
        case tanh(ElementwiseForm)
        case errorFunction(ElementwiseForm)
        case exponential(ElementwiseForm)
        case softplus(ElementwiseForm)
        case clip(low: Double, high: Double, ElementwiseForm)
    }

    private struct Term: Sendable {
        var coefficient: Double
        var power = 0
        var factors: [Factor] = []
    }

    private var terms: [Term]

    /// The largest relative difference of equal numbers: constants are float32, or written with six digits.
    private static let tolerance = 4e-6
    /// The range of magnitudes of numbers.
    private static let magnitudes = 0x1p-6...0x1p6
    private static let maximumTermCount = 12
    private static let maximumPower = 3

    /// x
    static let argument = ElementwiseForm(terms: [Term(coefficient: 1, power: 1)])

    private init(terms: [Term]) { self.terms = terms }

    /// A number; nil where its magnitude is too small or too large.
    init?(_ number: Double) {
        guard Self.magnitudes.contains(number.magnitude) else { return nil }
        terms = [Term(coefficient: number)]
    }

    private init(_ factor: Factor) { terms = [Term(coefficient: 1, factors: [factor])] }

    /// The number that this is.
    private var number: Double? {
        guard let term = terms.first, terms.count == 1, term.power == 0, term.factors.isEmpty else { return nil }
        return term.coefficient
    }

    private func scaled(by factor: Double) -> ElementwiseForm {
        ElementwiseForm(
            terms: terms.map { Term(coefficient: $0.coefficient * factor, power: $0.power, factors: $0.factors) })
    }

    private static func sum(_ terms: [Term]) -> ElementwiseForm? {
        var result: [Term] = []
        for term in terms {
            let equal = result.firstIndex { $0.power == term.power && Self.areEqual($0.factors, term.factors) }
            guard let equal else {
                result.append(term)
                continue
            }
            guard (result[equal].coefficient < 0) == (term.coefficient < 0) else { return nil }
            result[equal].coefficient += term.coefficient
        }
        return result.count <= maximumTermCount ? ElementwiseForm(terms: result) : nil
    }

    static func + (a: ElementwiseForm, b: ElementwiseForm) -> ElementwiseForm? { sum(a.terms + b.terms) }

    static func - (a: ElementwiseForm, b: ElementwiseForm) -> ElementwiseForm? { a + b.negated }

    static func * (a: ElementwiseForm, b: ElementwiseForm) -> ElementwiseForm? {
        var products: [Term] = []
        for first in a.terms {
            for second in b.terms {
                let power = first.power + second.power
                guard power <= maximumPower else { return nil }
                products.append(
                    Term(
                        coefficient: first.coefficient * second.coefficient, power: power,
                        factors: first.factors + second.factors))
            }
        }
        return sum(products)
    }

    static func / (a: ElementwiseForm, b: ElementwiseForm) -> ElementwiseForm? {
        if let number = b.number { return a.scaled(by: 1 / number) }
        return b.reciprocal.flatMap { a * $0 }
    }

    var negated: ElementwiseForm { scaled(by: -1) }

    /// 1 ÷ (1 + eᵘ) is the logistic function of −u.
    var reciprocal: ElementwiseForm? {
        if let number { return ElementwiseForm(1 / number) }
        return exponentOfOnePlus?.negated.logistic
    }

    /// ½ + ½ · tanh(u ÷ 2)
    var logistic: ElementwiseForm? {
        ElementwiseForm(terms: [Term(coefficient: 0.5)]) + scaled(by: 0.5).tanh.scaled(by: 0.5)
    }

    /// tanh, with the sign before it.
    var tanh: ElementwiseForm { odd(Factor.tanh) }
    var errorFunction: ElementwiseForm { odd(Factor.errorFunction) }
    var exponential: ElementwiseForm { ElementwiseForm(.exponential(self)) }
    var softplus: ElementwiseForm { ElementwiseForm(.softplus(self)) }

    /// ln(1 + eᵘ) is softplus; nil for other logarithms.
    var logarithm: ElementwiseForm? { exponentOfOnePlus?.softplus }

    func power(_ exponent: Double) -> ElementwiseForm? {
        switch exponent {
        case 2: self * self
        case 3: (self * self).flatMap { self * $0 }
        default: nil
        }
    }

    /// min(max(u, low), high), for low < high.
    ///
    /// With u = a · v + b: a · min(max(v, (low − b) ÷ a), (high − b) ÷ a) + b, the limits swapped for a < 0.
    func clipped(_ low: Double, _ high: Double) -> ElementwiseForm? {
        guard low < high else { return nil }
        let numbers = terms.filter { $0.power == 0 && $0.factors.isEmpty }
        let rest = terms.filter { $0.power != 0 || !$0.factors.isEmpty }
        guard let first = rest.first?.coefficient, numbers.count <= 1 else { return nil }
        let b = numbers.first?.coefficient ?? 0
        var limits = [(low - b) / first, (high - b) / first]
        if first < 0 { limits.swapAt(0, 1) }
        var inner = ElementwiseForm(terms: rest).scaled(by: 1 / first)
        // Limits of limits are the nearer ones.
        if inner.terms.count == 1, inner.terms[0].power == 0, inner.terms[0].factors.count == 1,
            case .clip(let innerLow, let innerHigh, let form) = inner.terms[0].factors[0]
        {
            limits = [max(limits[0], innerLow), min(limits[1], innerHigh)]
            guard limits[0] < limits[1] else { return nil }
            inner = form
        }
        let result = ElementwiseForm(.clip(low: limits[0], high: limits[1], inner)).scaled(by: first)
        return ElementwiseForm(terms: result.terms + numbers)
    }

    /// The u where this is 1 + eᵘ.
    private var exponentOfOnePlus: ElementwiseForm? {
        guard terms.count == 2 else { return nil }
        for (one, power) in [(terms[0], terms[1]), (terms[1], terms[0])] {
            guard one.power == 0, one.factors.isEmpty, one.coefficient == 1, power.power == 0, power.coefficient == 1,
                power.factors.count == 1, case .exponential(let exponent) = power.factors[0]
            else { continue }
            return exponent
        }
        return nil
    }

    private func odd(_ function: (ElementwiseForm) -> Factor) -> ElementwiseForm {
        let isNegative = terms.min { $0.power < $1.power }.map { $0.coefficient < 0 } ?? false
        return isNegative
            ? ElementwiseForm(function(negated)).negated : ElementwiseForm(function(self))
    }

    /// Whether both have the same terms, in any order, with numbers that are equal but for their rounding.
    func equals(_ other: ElementwiseForm) -> Bool {
        terms.count == other.terms.count
            && terms.allSatisfy { term in
                other.terms.contains {
                    $0.power == term.power && Self.areEqual($0.coefficient, term.coefficient)
                        && Self.areEqual($0.factors, term.factors)
                }
            }
    }

    private static func areEqual(_ a: Double, _ b: Double) -> Bool {
        a == b || abs(a - b) <= tolerance * max(abs(a), abs(b))
    }

    private static func areEqual(_ a: [Factor], _ b: [Factor]) -> Bool {
        guard a.count == b.count else { return false }
        var rest = b
        for factor in a {
            guard let index = rest.firstIndex(where: { areEqual($0, factor) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }

    private static func areEqual(_ a: Factor, _ b: Factor) -> Bool {
        switch (a, b) {
        case (.tanh(let a), .tanh(let b)), (.errorFunction(let a), .errorFunction(let b)),
            (.exponential(let a), .exponential(let b)), (.softplus(let a), .softplus(let b)):
            a.equals(b)
        case (.clip(let lowA, let highA, let a), .clip(let lowB, let highB, let b)):
            areEqual(lowA, lowB) && areEqual(highA, highB) && a.equals(b)
        default: false
        }
    }
}
