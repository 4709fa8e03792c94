import ConformanceCases
import Foundation
import Graphs
import Synchronization
import Tensors
import Testing

/// Every rewrite keeps what a network computes: random graphs around its pattern are evaluated node by node, with and
/// without it.
///
/// The graphs follow from `APUS_TEST_SEED`, which is printed. `APUS_REWRITE_GRAPHS` is their number for each rewrite.
@Suite("Graphs with and without a rewrite")
struct RewriteEquivalenceTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed: UInt64 = {
        let seed = environment["APUS_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        print("RewriteEquivalenceTests: APUS_TEST_SEED=\(seed)")
        return seed
    }()
    private static let graphCount = environment["APUS_REWRITE_GRAPHS"].flatMap { Int($0) } ?? 200
    private static let reportLimit = 3

    @Test("Every rewrite has a generator of graphs")
    func isComplete() {
        let names = Set(Rewrites.all.map { type(of: $0).name })
        #expect(names == Set(RewritePatterns.table.map(\.name)))
        #expect(Set(RewritePatterns.table.map(\.name)).count == RewritePatterns.table.count)
    }

    @Test("A rewrite alone keeps results", arguments: RewritePatterns.table)
    func keepsResults(_ row: RewritePatterns.Row) throws {
        let rewrite = try #require(Rewrites.all.first { type(of: $0).name == row.name })
        var changed = 0
        var drawn = 0
        var failures = 0
        for index in 0..<Self.graphCount {
            let seed = Self.seed &+ UInt64(index)
            guard let pattern = try Self.draw(row, seed: seed) else { continue }
            drawn += 1
            let outcome = try compare(pattern, [rewrite])
            if outcome.isChanged { changed += 1 }
            guard let difference = outcome.difference else { continue }
            failures += 1
            if failures <= Self.reportLimit {
                Issue.record("APUS_TEST_SEED=\(seed), \(row.name): \(difference)\n\(pattern.listing)")
            }
        }
        #expect(failures == 0, "\(failures) of \(drawn) graphs")
        print("RewriteEquivalenceTests: \(row.name) changed \(changed) of \(drawn) graphs")
        // Patterns that no rewrite takes would prove nothing.
        #expect(drawn * 3 >= Self.graphCount && changed * 25 >= Self.graphCount, "\(drawn) drawn, \(changed) changed")
    }

    @Test("All rewrites together keep results", arguments: RewritePatterns.table)
    func keepTogether(_ row: RewritePatterns.Row) throws {
        var failures = 0
        for index in 0..<Self.graphCount / 2 {
            let seed = Self.seed &+ UInt64(index)
            guard var pattern = try Self.draw(row, seed: seed) else { continue }
            if case .same = pattern.tolerance { pattern.tolerance = .rounded }
            guard let difference = try compare(pattern, Rewrites.all).difference else { continue }
            failures += 1
            if failures <= Self.reportLimit {
                Issue.record("APUS_TEST_SEED=\(seed), \(row.name): \(difference)\n\(pattern.listing)")
            }
        }
        #expect(failures == 0)
    }

    /// The graph of a seed; nil where the drawn operators do not fit, or the network is refused.
    private static func draw(_ row: RewritePatterns.Row, seed: UInt64) throws -> RandomPattern? {
        var pattern = RandomPattern(seed: seed, name: row.name)
        do {
            try row.draw(&pattern)
            try pattern.graph.validate()
        } catch is RandomPattern.Misfit {
            return nil
        }
        return pattern
    }

    private struct Outcome {
        var isChanged = false
        /// The first difference, in words.
        var difference: String?
    }

    private func compare(_ pattern: RandomPattern, _ rewrites: [any Rewrite]) throws -> Outcome {
        // All values are outputs of the evaluation, for the largest number in between.
        var observed = pattern.graph
        observed.outputs += observed.nodes.flatMap(\.outputs).compactMap { $0 }
            .filter { !observed.outputs.contains($0) }
        guard let values = try? ReferenceEvaluation.run(observed, pattern.inputs) else { return Outcome() }
        let expected = Array(values.prefix(pattern.graph.outputs.count))
        let between = values + pattern.inputs + pattern.graph.initializers.values
        var outcome = Outcome()
        do {
            let shapes = pattern.inputs.map(\.shape)
            for graph in [pattern.graph, try pattern.graph.specialized(inputShapes: shapes)] {
                let result = try Rewrites.declutter(graph, using: rewrites)
                guard result.reports.contains(where: { !$0.changes.isEmpty }) else { continue }
                outcome.isChanged = true
                let found = try ReferenceEvaluation.run(result.graph, pattern.inputs)
                for (index, pair) in zip(found, expected).enumerated() {
                    let limits = Limits(pattern, between: between, output: pair.1)
                    guard let difference = limits.difference(pair.0, pair.1) else { continue }
                    outcome.difference =
                        "output \(index): \(difference); "
                        + result.reports.flatMap { $0.changes.map(\.description) }.joined(separator: "; ")
                    return outcome
                }
            }
        } catch {
            outcome.difference = "\(error)"
        }
        return outcome
    }

    /// How far the elements of a result may be off.
    private struct Limits {
        let tolerance: RandomPattern.Tolerance
        /// The rounding error of one operation, of the element type with the fewest digits.
        let rounding: Double
        /// The largest finite number in between.
        let largest: Double
        let argument: [Double]
        let overflows: Bool
        let isInteger: Bool

        init(_ pattern: RandomPattern, between: [Tensor], output: Tensor) {
            tolerance = pattern.tolerance
            let types = Set(between.map(\.elementType))
            rounding = types.contains(.bfloat16) ? 0x1p-7 : types.contains(.float16) ? 0x1p-10 : 0x1p-22
            let numbers = between.lazy.filter { $0.elementType.isFloatingPoint }
                .flatMap { $0.elements(as: Double.self) }.filter(\.isFinite)
            largest = numbers.reduce(0) { max($0, abs($1)) }
            // Products of two numbers overflow, whose sums or factors the rewrite orders otherwise.
            overflows = largest > (types.contains(.float16) ? 0x1p7 : 0x1p57)
            isInteger = !output.elementType.isFloatingPoint
            argument = pattern.inputs.first?.elements(as: Double.self) ?? []
        }

        func difference(_ found: Tensor, _ expected: Tensor) -> String? {
            guard found.elementType == expected.elementType, found.shape == expected.shape else {
                return "\(found.elementType)\(found.shape), not \(expected.elementType)\(expected.shape)"
            }
            let pairs = zip(found.elements(as: Double.self), expected.elements(as: Double.self))
            return pairs.enumerated().first { !accepts($1.0, $1.1, at: $0) }
                .map { "element \($0) is \($1.0), not \($1.1)" }
        }

        private func accepts(_ found: Double, _ expected: Double, at index: Int) -> Bool {
            if found == expected || found.isNaN && expected.isNaN { return true }
            let distance = abs(found - expected)
            switch tolerance {
            case .same: return false
            case .steps(let step):
                return step > 0 && distance <= 1.01 * (isInteger ? 1 : step) + 64 * rounding * abs(expected)
            case .rounded:
                if !expected.isFinite || !found.isFinite && overflows { return true }
                return distance <= 64 * rounding * largest
            case .elementwise:
                guard expected.isFinite else { return true }
                let size = index < argument.count ? abs(argument[index]) : 0
                return distance <= 64 * rounding * (1 + (size.isFinite ? size : 0))
            }
        }
    }
}
