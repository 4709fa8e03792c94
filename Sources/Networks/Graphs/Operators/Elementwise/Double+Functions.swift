#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Double {
    /// eˣ
    package var exponential: Double { exp(self) }
    /// eˣ − 1, exact near zero.
    package var exponentialMinusOne: Double { expm1(self) }
    /// ln x
    package var logarithm: Double { log(self) }
    /// ln(1 + x), exact near zero.
    package var logarithmOfOnePlus: Double { log1p(self) }
    /// tanh x
    package var hyperbolicTangent: Double { tanh(self) }
    /// sin x
    package var sine: Double { sin(self) }
    /// cos x
    package var cosine: Double { cos(self) }
    /// tan x
    package var tangent: Double { tan(self) }
    /// asin x
    package var arcSine: Double { asin(self) }
    /// acos x
    package var arcCosine: Double { acos(self) }
    /// atan x
    package var arcTangent: Double { atan(self) }
    /// sinh x
    package var hyperbolicSine: Double { sinh(self) }
    /// cosh x
    package var hyperbolicCosine: Double { cosh(self) }
    /// asinh x
    package var inverseHyperbolicSine: Double { asinh(self) }
    /// acosh x
    package var inverseHyperbolicCosine: Double { acosh(self) }
    /// atanh x
    package var inverseHyperbolicTangent: Double { atanh(self) }
    /// erf x
    package var errorFunction: Double { erf(self) }
    /// min(max(x, low), high); NaN stays NaN.
    package func clipped(_ low: Double, _ high: Double) -> Double {
        isNaN ? self : Swift.min(Swift.max(self, low), high)
    }
    /// x · gate; where x is infinite and the gate 0, the limit of functions whose gate vanishes faster than x grows.
    package func gated(_ gate: Double) -> Double {
        isInfinite && gate == 0 ? Double(sign: sign, exponent: 0, significand: 0) : self * gate
    }
    /// ln(1 + eˣ), without overflow.
    package var softplus: Double { Swift.max(self, 0) + (-magnitude).exponential.logarithmOfOnePlus }
    /// xʸ
    package func raised(to exponent: Double) -> Double { pow(self, exponent) }
    /// 1 / (1 + e⁻ˣ), without overflow.
    package var logistic: Double {
        if self >= 0 { return 1 / (1 + exp(-self)) }
        let power = exp(self)
        return power / (1 + power)
    }
}
