import Apus
import Graphs
import Measuring
import Testing

@Suite("Agreement")
struct AgreementTests {
    @Test("Errors are those of the formulas")
    func formulas() {
        let agreement = Agreement([3.3, -4, 0.5], reference: [3, -4, 0])
        let mean = (25.0 / 3).squareRoot()
        #expect(abs(agreement.largestAbsoluteError - 0.5) < 1e-12)
        #expect(abs(agreement.largestRelativeError - 0.5 / mean) < 1e-12)
        let rootMeanSquareError = (0.34 / 3).squareRoot()
        #expect(abs(agreement.rootMeanSquareError - rootMeanSquareError) < 1e-12)
        let length: Double = 3.3 * 3.3 + 16 + 0.25
        let cosine = 25.9 / (length.squareRoot() * 5)
        #expect(abs((agreement.cosine ?? 0) - cosine) < 1e-12)
        #expect(agreement.exceeds(0.1) && !agreement.exceeds(0.2))
    }

    @Test("Numbers that are not finite agree with the same alone")
    func notFinite() {
        let same = Agreement([.infinity, .nan, 1], reference: [.infinity, .nan, 1])
        #expect(same.nonFiniteElements == 0 && same.largestRelativeError == 0)
        for (found, reference) in [(Double.nan, 1.0), (.infinity, 1), (1, .nan), (.infinity, -.infinity)] {
            let other = Agreement([found, 2], reference: [reference, 2])
            #expect(other.nonFiniteElements == 1 && other.exceeds(1e30))
            #expect(other.cosine == nil && other.rootMeanSquareError == .infinity)
        }
        #expect(Agreement([1, 2], reference: [1]).exceeds(1e30))
    }

    @Test("Zeros agree with zeros, and are measured as they are against others")
    func zeros() {
        #expect(Agreement([0, 0], reference: [0, 0]).cosine == 1)
        #expect(Agreement([0, 0], reference: [0, 0]).largestRelativeError == 0)
        #expect(Agreement([1e-5, 0], reference: [0, 0]).largestRelativeError == 1e-5)
        #expect(Agreement([0, 0], reference: [1, 0]).cosine == nil)
    }

    @Test("What is found on several inputs is put together")
    func merging() {
        var total = Agreement([1, 2], reference: [1, 2])
        total.merge(Agreement([3, 5], reference: [3, 4]))
        #expect(total.elements == 4 && total.largestAbsoluteError == 1)
        #expect(abs(total.rootMeanSquareError - 0.5) < 1e-12)
    }

    @Test("The first layer over the tolerance is named, and where errors begin again")
    func summary() {
        func error(_ value: Double) -> Agreement { Agreement([1 + value, 1], reference: [1, 1]) }
        let summary = Comparison.AgreementSummary(
            [
                ("a", [], error(1e-6)), ("b", [0], error(0.1)), ("c", [0], error(1e-6)), ("d", [1], nil),
                ("e", [3], error(0.2)), ("f", [2], error(0.3)),
            ], tolerance: 1e-3, top1Changes: [], top5Changes: nil)
        #expect(summary.firstExceeding == "b" && summary.origins == ["b", "f"])
        #expect(summary.exceedingCount == 3 && summary.worstLayer == "f" && !summary.agrees)
        let good = Comparison.AgreementSummary(
            [("a", [], error(1e-6))], tolerance: 1e-3, top1Changes: ["x"], top5Changes: nil)
        #expect(good.firstExceeding == nil && !good.agrees)
    }

    @Test("The float64 evaluation is more exact than float32 can be")
    func float64() throws {
        let graph = try Graph.build("sum") { net in
            let x = net.input("x", .float32, [.batch, 1, 1, 64])
            net.output("y", x.globalAveragePool())
        }
        // 1 + 63 · 2⁻³⁰ is no float32.
        let input = try Tensor([1] + [Float](repeating: 0x1p-30, count: 63), shape: [1, 1, 1, 64])
        var found: [Double] = []
        try Float64Evaluation(graph).run([input]) { id, tensor in
            if id == graph.outputs.first { found = tensor.elements(as: Double.self) }
        }
        let mean: Double = (1 + 63 * 0x1p-30) / 64
        #expect(found == [mean])
    }
}
