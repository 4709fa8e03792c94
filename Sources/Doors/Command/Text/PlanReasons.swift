import Apus
import FoundationEssentials
import Measuring

/// The reasons for the choices of a plan. Facts about several layers are printed once: only the first of several like
/// layers shows its candidates, and a reason for declining follows all layers, with their numbers.
struct PlanReasons {
    private let layers: [PlanDescription.Layer]
    private let shown: [Int]
    private let isGrouped: Bool
    /// For each layer, the index of the first shown layer with the same candidates and times.
    private let first: [Int: Int]

    /// - Parameters:
    ///   - shown: The indices of the layers to explain.
    ///   - isGrouped: Whether facts about several layers are printed once.
    init(_ layers: [PlanDescription.Layer], shown: [Int], isGrouped: Bool) {
        self.layers = layers
        self.shown = shown
        self.isGrouped = isGrouped
        var known: [[String]: Int] = [:]
        var first: [Int: Int] = [:]
        for index in shown {
            let layer = layers[index]
            let key =
                ["\(layer.operator) \(layer.inputs) \(layer.outputs) \(layer.layout)"] + Self.workLines(layer)
                + Self.accepting(layer)
            first[index] = known[key, default: index]
            known[key] = first[index]
        }
        self.first = first
    }

    /// The lines below a layer's own line.
    func lines(_ index: Int) -> [String] {
        let layer = layers[index]
        let memory = "memory    \(layer.layout), \(layer.memory)"
        if isGrouped, let first = first[index], first != index {
            return [memory] + Self.stripLines(layer) + ["as layer  \(first + 1)"]
        }
        let declining =
            isGrouped ? [] : Self.declining(layer).map { "declines  \($0.names.joined(separator: ", ")): \($0.reason)" }
        return [memory] + Self.workLines(layer) + Self.stripLines(layer) + Self.accepting(layer) + declining
    }

    /// The reasons for declining, most frequent first.
    var shared: [String] {
        guard isGrouped else { return [] }
        struct Refusal { var reason: String, name: String, layers: [Int] }
        var refusals: [Refusal] = []
        var positions: [[String]: Int] = [:]
        for index in shown {
            for (reason, names) in Self.declining(layers[index]) {
                for name in names {
                    if let position = positions[[reason, name]] {
                        refusals[position].layers.append(index)
                    } else {
                        positions[[reason, name]] = refusals.count
                        refusals.append(Refusal(reason: reason, name: name, layers: [index]))
                    }
                }
            }
        }
        struct Group: Hashable { let reason: String, layers: [Int] }
        let groups = Dictionary(grouping: refusals.indices) {
            Group(reason: refusals[$0].reason, layers: refusals[$0].layers)
        }
        let ordered = groups.sorted {
            ($1.key.layers.count, $0.value[0]) < ($0.key.layers.count, $1.value[0])
        }
        return ordered.map { group, positions in
            let names = positions.map { refusals[$0].name }.joined(separator: ", ")
            return "  declines  \(names): \(group.reason) (\(numbers(group.layers)))"
        }
    }

    /// The maximum number of ranges that are listed.
    private static let maximumRanges = 8

    /// The numbers of layers as text: `layers 1–4, 7`.
    private func numbers(_ indices: [Int]) -> String {
        if indices.count == shown.count { return shown.count == 1 ? "layer \(indices[0] + 1)" : "every layer" }
        var ranges: [ClosedRange<Int>] = []
        for index in indices {
            if let last = ranges.last, last.upperBound + 1 == index {
                ranges[ranges.count - 1] = last.lowerBound...index
            } else {
                ranges.append(index...index)
            }
        }
        let named = ranges.prefix(Self.maximumRanges).map { range in
            range.count == 1 ? "\(range.lowerBound + 1)" : "\(range.lowerBound + 1)–\(range.upperBound + 1)"
        }
        let rest = ranges.count > Self.maximumRanges ? ", …: \(indices.count) layers" : ""
        return (indices.count == 1 ? "layer " : "layers ") + named.joined(separator: ", ") + rest
    }

    private static func workLines(_ layer: PlanDescription.Layer) -> [String] {
        let work =
            layer.transferBytes > 0
            ? "crosses   with \(layer.transferBytes.grouped) bytes, expected \(Figure.microseconds(layer.microseconds))"
            : "work      \(layer.multiplyAdds.grouped) multiply-adds"
        return [work] + (layer.precisionReason.map { ["precision \($0)"] } ?? [])
            + (layer.deviceReason.map { ["device    \($0)"] } ?? [])
    }

    private static func stripLines(_ layer: PlanDescription.Layer) -> [String] {
        var lines: [String] = []
        if let strips = layer.strips {
            lines.append(
                "strips    layers \(strips.firstLayer + 1) to \(strips.lastLayer + 1) together, "
                    + "\(strips.rows) rows at a time, in \(strips.bytesPerThread.grouped) bytes for each thread")
        }
        if let reason = layer.stripReason { lines.append("strips    without the next layer: \(reason)") }
        return lines
    }

    private static func name(_ candidate: PlanDescription.Candidate) -> String {
        "\(candidate.backend)/\(candidate.lowering)" + (candidate.variant.map { ", tiles \($0)" } ?? "")
    }

    /// The chosen candidate, and the others that accept.
    private static func accepting(_ layer: PlanDescription.Layer) -> [String] {
        var table = TextTable([("", .left), ("", .left), ("", .left), ("", .left)])
        let isChosen = { (candidate: PlanDescription.Candidate) in
            candidate.backend == layer.backend && candidate.lowering == layer.lowering
                && candidate.variant == layer.variant
        }
        for candidate in layer.candidates.filter(isChosen) + layer.candidates.filter({ !isChosen($0) }) {
            guard let microseconds = candidate.microseconds else { continue }
            table.append([
                isChosen(candidate) ? "chosen  " : "accepts ", name(candidate), measurement(candidate),
                expectation(candidate, microseconds),
            ])
        }
        return table.lines()
    }

    /// The candidates that decline, grouped by reason.
    private static func declining(_ layer: PlanDescription.Layer) -> [(reason: String, names: [String])] {
        var declining: [(reason: String, names: [String])] = []
        for candidate in layer.candidates where candidate.microseconds == nil {
            let reason = candidate.reason ?? "no reason given"
            if let position = declining.firstIndex(where: { $0.reason == reason }) {
                declining[position].names.append(name(candidate))
            } else {
                declining.append((reason, [name(candidate)]))
            }
        }
        return declining
    }

    private static func measurement(_ candidate: PlanDescription.Candidate) -> String {
        guard let microseconds = candidate.measuredMicroseconds, let threads = candidate.measuredThreads else {
            return ""
        }
        return "measured \(Figure.microseconds(microseconds)) an image on \(threads) thread\(threads == 1 ? "" : "s")"
    }

    /// The expected time of the layer, and the time by which candidates are compared if it differs.
    private static func expectation(_ candidate: PlanDescription.Candidate, _ microseconds: Double) -> String {
        let copies = candidate.copyMicroseconds, total = Figure.microseconds(microseconds + copies)
        let ranked = candidate.rankedMicroseconds.map(Figure.microseconds) ?? total
        return "expected " + Figure.microseconds(microseconds)
            + (copies > 0 ? " and \(Figure.microseconds(copies)) for copies" : "")
            + (ranked == total ? "" : ", \(ranked) for one image on one thread")
    }
}
