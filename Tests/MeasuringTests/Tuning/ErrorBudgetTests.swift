import Testing

import Measuring

@Suite("The search for layers whose errors stay within a budget")
struct ErrorBudgetTests {
    private func search(
        _ layers: [ErrorBudget.Layer], _ tolerance: Double, isAllowed: (Set<String>) -> Bool
    ) -> (best: ErrorBudget?, tried: Int) {
        var next: ErrorBudget? = ErrorBudget(layers, tolerance)
        var best: ErrorBudget?
        var tried = 0
        while let trial = next {
            tried += 1
            let fits = isAllowed(Set(trial.names))
            if fits, trial.saved >= best?.saved ?? 0 { best = trial }
            next = trial.next(isAllowed: fits)
        }
        return (best, tried)
    }

    private let layers: [ErrorBudget.Layer] = (0..<40).map { index in
        let (thousandths, saved): (Int, Int) = (1 + index * 7 % 13, 10 + index * 11 % 17)
        return ("layer\(index)", Double(thousandths) / 1000, Double(saved))
    }

    @Test("finds more layers where errors cancel each other out, and fewer where they add up", arguments: [0.5, 1, 3])
    func followsMeasurements(factor: Double) {
        let tolerance = 0.02
        func error(_ names: Set<String>) -> Double {
            let chosen = layers.filter { names.contains($0.name) }
            return factor * chosen.reduce(0) { $0 + $1.error * $1.error }.squareRoot()
        }
        let (best, tried) = search(layers, tolerance) { error($0) <= tolerance }
        let names = Set(best?.names ?? [])
        #expect(error(names) <= tolerance && error(names) > 0.8 * tolerance)
        #expect(tried <= 12)
    }

    @Test("leaves out layers that alone exceed the tolerance, and those that save nothing")
    func leavesOut() {
        let layers: [ErrorBudget.Layer] = [("large", 0.1, 1000), ("idle", 0, 0), ("good", 0.001, 1)]
        let (best, tried) = search(layers, 0.01) { _ in true }
        #expect(best?.names == ["good"] && tried == 1)
    }

    @Test("ends where nothing is allowed, and where there is nothing to choose")
    func ends() {
        let (best, tried) = search(layers, 0.02) { $0.isEmpty }
        #expect(best == nil || best?.names == [])
        #expect(tried <= 12)
        #expect(search([], 0.02) { _ in false }.tried == 1)
    }
}
