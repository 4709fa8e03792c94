/// A set of layers whose errors together are expected to stay within a budget, and the search for a larger one.
///
/// Errors of layers are expected to add up like those of independent sources: the square of their sum is the sum of
/// their squares. How far that is true is measured, and the budget follows: the next one lies in the middle between the
/// largest that is known to be allowed and the smallest that is known not to be.
package struct ErrorBudget {
    package typealias Layer = (name: String, error: Double, saved: Double)

    /// A budget, and the layers that fit into it.
    private struct Bound {
        var budget: Double
        var names: [String]?
    }

    /// The chosen layers, the best first.
    package let names: [String]
    /// The expected time that they save, in microseconds.
    package let saved: Double

    /// The layers that may be chosen, the best first.
    private let layers: [Layer]
    private let budget: Double
    private let allowed: Bound
    private let refused: Bound

    /// Starts with the tolerance as the budget.
    ///
    /// - Parameter layers: Each layer's name, its error alone, and the time it saves; those whose error exceeds the
    ///   tolerance are never chosen.
    package init(_ layers: [Layer], _ tolerance: Double) {
        func worth(_ layer: Layer) -> Double {
            layer.saved / max(layer.error * layer.error, .leastNormalMagnitude)
        }
        let fitting = layers.filter { $0.error <= tolerance && $0.saved > 0 }
            .sorted { (worth($1), $0.name) < (worth($0), $1.name) }
        let all = fitting.reduce(0) { $0 + $1.error * $1.error }.squareRoot()
        self.init(
            fitting, min(tolerance, all), allowed: Bound(budget: 0, names: []), refused: Bound(budget: 1.01 * all))
    }

    private init(_ layers: [Layer], _ budget: Double, allowed: Bound, refused: Bound) {
        self.layers = layers
        self.budget = budget
        self.allowed = allowed
        self.refused = refused
        let chosen = Self.chosen(layers, budget)
        names = chosen.map(\.name)
        saved = chosen.reduce(0) { $0 + $1.saved }
    }

    /// The layers, best first, that still fit into the budget.
    private static func chosen(_ layers: [Layer], _ budget: Double) -> [Layer] {
        var squares = 0.0
        return layers.filter { layer in
            let sum = squares + layer.error * layer.error
            // Rounding of the sum must not leave out the last layer.
            guard sum.squareRoot() <= budget * (1 + 1e-9) else { return false }
            squares = sum
            return true
        }
    }

    /// The next set to measure; nil when the bounds are within 2 % of each other, or no other set lies between them.
    ///
    /// - Parameter isAllowed: Whether this set was measured to be allowed.
    package func next(isAllowed: Bool) -> ErrorBudget? {
        let this = Bound(budget: budget, names: names)
        var (low, high) = isAllowed ? (this, refused) : (allowed, this)
        while high.budget - low.budget > 0.02 * high.budget {
            let middle = (low.budget + high.budget) / 2
            let others = Self.chosen(layers, middle).map(\.name)
            if others == low.names {
                low.budget = middle
            } else if others == high.names {
                high.budget = middle
            } else {
                return ErrorBudget(layers, middle, allowed: low, refused: high)
            }
        }
        return nil
    }
}
