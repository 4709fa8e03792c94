import Apus
import Measuring
import Testing

@Suite("Pictures of reports")
struct LayoutTests {
    @Test("Every edge leads to a later rank, and passes each between")
    func ranks() {
        // A diamond with a short cut.
        let layout = LayeredLayout(sources: [[], [0], [0], [1, 2], [0, 3], []])
        #expect(layout.places.map(\.rank) == [0, 1, 1, 2, 3, 0])
        #expect(layout.rankCount == 4)
        #expect(layout.routes.count == 6)
        for route in layout.routes {
            for (a, b) in zip(route, route.dropFirst()) { #expect(b.rank == a.rank + 1) }
        }
        #expect(layout.places[1].offset != layout.places[2].offset)
    }

    @Test("Branches that are given crossed are uncrossed")
    func crossings() {
        // 0 → 1, 2; the chain of 1 is listed after that of 2.
        let layout = LayeredLayout(sources: [[], [0], [0], [2], [1], [4, 3]])
        let isAbove = layout.places[1].offset < layout.places[2].offset
        #expect((layout.places[4].offset < layout.places[3].offset) == isAbove)
    }

    @Test("Networks of nothing, one node and long edges are drawn")
    func extremes() {
        #expect(LayeredLayout(sources: []).rankCount == 0)
        #expect(LayeredLayout(sources: [[]]).places.map(\.offset) == [0])
        let chain = [[]] + (1..<300).map { $0 == 299 ? [298, 0] : [$0 - 1] }
        let layout = LayeredLayout(sources: chain)
        #expect(layout.rankCount == 300)
        let nodes = chain.map { GraphDrawing.Node(name: "n", sources: $0, share: 1, style: "f0", tip: "a<b>") }
        let html = GraphDrawing(label: "chain", nodes: nodes, layout: layout).html
        #expect(html.components(separatedBy: "<circle").count == 301)
        #expect(html.contains("a&lt;b&gt;") && !html.contains("a<b>"))
    }

    @Test("Axes reach over their numbers")
    func axes() {
        let linear = Axis.linear(to: 0.0123, from: 0, to: 100)
        #expect(linear.ticks.first == 0 && (linear.ticks.last ?? 0) >= 0.0123)
        #expect(linear.position(0) == 0 && linear.position(0.0123) <= 100)
        let logarithmic = Axis.logarithmic(from: 3e-7, to: 20, from: 100, to: 0)
        #expect((logarithmic.ticks.first ?? 1) <= 3e-7)
        #expect(logarithmic.position(1e-3) > logarithmic.position(1e-2))
        #expect(logarithmic.position(0) == 100 && logarithmic.position(.infinity) == 0)
        for axis in [Axis.linear(to: 0, from: 0, to: 1), Axis.linear(to: .infinity, from: 0, to: 1)] {
            #expect(!axis.ticks.isEmpty && axis.position(1).isFinite)
        }
    }

    @Test("Numbers have three digits")
    func figures() {
        #expect(Figure.time(0.0123) == "12.3 ms" && Figure.time(1.5e-6) == "1.50 µs" && Figure.time(2) == "2.00 s")
        #expect(Figure.time(.nan) == "–" && Figure.time(0) == "0 s")
        #expect(Figure.bytes(1_500_000) == "1.50 MB" && Figure.bytes(12) == "12 B")
        #expect(Figure.percent(0.123) == "12 %" && Figure.percent(0.0123) == "1.2 %")
        #expect(Figure.error(.infinity) == "infinite" && Figure.error(0) == "0")
    }
}
