import Apus
import Foundation

/// A plan for people: a line per layer, the reasons if wanted, and totals.
struct PlanText {
    private let plan: PlanDescription
    private let showsReasons: Bool

    init(_ plan: PlanDescription, showsReasons: Bool) {
        self.plan = plan
        self.showsReasons = showsReasons
    }

    var lines: [String] {
        var table = TextTable([
            ("", .right), ("", .left), ("layer", .left), ("operator", .left), ("shapes", .left), ("lowering", .left),
            ("expected", .right),
        ])
        for (index, layer) in plan.layers.enumerated() {
            table.append([
                "\(index + 1)", Self.bracket(index, layer.strips), layer.name, layer.operator, Self.shapes(layer),
                "\(layer.backend)/\(layer.lowering)",
                Self.time(layer.microseconds),
            ])
            if showsReasons { for line in Self.reasons(layer) { table.appendLine("        " + line.printable) } }
        }
        return table.lines() + [""] + (totals + continuation).map(\.printable)
    }

    /// What runs after the layers, where their shapes are known only then.
    private var continuation: [String] {
        guard let continuation = plan.continuation else { return [] }
        let following = continuation.following.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key) \($0.value)" }
        var lines = ["  then      \(continuation.evaluated.count) nodes, whose results tell the shapes of what follows"]
        for node in continuation.evaluated {
            lines.append(
                "            \(node.operator) \(node.name)" + (showsReasons ? ": \(node.reason)" : ""))
        }
        if !following.isEmpty {
            lines.append("  planned   while it runs: \(following.joined(separator: ", "))")
        }
        return lines
    }

    private var totals: [String] {
        let microseconds = plan.layers.reduce(0) { $0 + $1.microseconds } * Double(plan.runs)
        let multiplyAdds = plan.layers.reduce(0) { $0 + $1.multiplyAdds } * plan.runs
        let inputs = plan.inputs.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let threads = plan.threads == 1 ? "1 thread" : "\(plan.threads) threads"
        let backends = Dictionary(grouping: plan.layers, by: \.backend).sorted { $0.key < $1.key }
        return [
            "\(plan.model): \(plan.layers.count) layers for \(inputs.joined(separator: ", ")) on \(threads)",
            "  layers    \(backends.map { "\($0.key) \($0.value.count)" }.joined(separator: ", "))",
            "  batch     \(plan.runs == 1 ? "whole" : "in \(plan.runs) equal parts"): \(plan.batching)",
            "  chosen    \(choices)",
            "  arena     \(plan.arenaBytes.grouped) bytes"
                + (plan.deviceArenaBytes > 0 ? ", and \(plan.deviceArenaBytes.grouped) bytes on the device" : ""),
            "  work      \(multiplyAdds.grouped) multiply-adds",
            "  expected  \(String(format: "%.2f ms", microseconds / 1000))",
        ] + crossings
    }

    /// What is copied between the processor's memory and the device's.
    private var crossings: [String] {
        let transfers = plan.layers.filter { $0.transferBytes > 0 }
        guard !transfers.isEmpty else { return [] }
        let directions = Dictionary(grouping: transfers, by: \.lowering).sorted { $1.key < $0.key }
        let counts = directions.map { direction, layers in
            "\(layers.count) \(direction)\(layers.count == 1 ? "" : "s") of "
                + "\(layers.reduce(0) { $0 + $1.transferBytes }.grouped) bytes"
        }
        let microseconds = transfers.reduce(0) { $0 + $1.microseconds }
        return ["  crossings \(counts.joined(separator: ", ")), expected \(Self.time(microseconds))"]
    }

    /// Joins the lines of layers that run together.
    private static func bracket(_ index: Int, _ strips: PlanDescription.Strips?) -> String {
        guard let strips else { return "" }
        return index == strips.firstLayer ? "┌" : index == strips.lastLayer ? "└" : "│"
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

    /// What the lowerings were chosen by.
    private var choices: String {
        let measured = plan.layers.filter(\.isMeasured).count
        if measured == 0 { return "by expected times (apus tune measures)" }
        return "by measured times in \(measured) of \(plan.layers.count) layers, by expected ones in the others"
    }

    /// The input that flows through the network and the outputs; weights are left out.
    private static func shapes(_ layer: PlanDescription.Layer) -> String {
        let inputs = layer.inputs.first.map { "\($0)" } ?? "[]"
        return inputs + " → " + layer.outputs.map { "\($0)" }.joined(separator: ", ")
    }

    /// The chosen candidate, the others that accept, then those that decline, together where the reason is the same.
    private static func reasons(_ layer: PlanDescription.Layer) -> [String] {
        var accepting = TextTable([("", .left), ("", .left), ("", .left), ("", .left)])
        var declining: [(reason: String, names: [String])] = []
        let isChosen = { (candidate: PlanDescription.Candidate) in
            candidate.backend == layer.backend && candidate.lowering == layer.lowering
                && candidate.variant == layer.variant
        }
        for candidate in layer.candidates.filter(isChosen) + layer.candidates.filter({ !isChosen($0) }) {
            let name = "\(candidate.backend)/\(candidate.lowering)" + (candidate.variant.map { ", tiles \($0)" } ?? "")
            if let microseconds = candidate.microseconds {
                accepting.append([
                    isChosen(candidate) ? "chosen  " : "accepts ", name, measurement(candidate),
                    expectation(candidate, microseconds),
                ])
                continue
            }
            let reason = candidate.reason ?? "no reason given"
            if let position = declining.firstIndex(where: { $0.reason == reason }) {
                declining[position].names.append(name)
            } else {
                declining.append((reason, [name]))
            }
        }
        let work =
            layer.transferBytes > 0
            ? "crosses   with \(layer.transferBytes.grouped) bytes, expected \(time(layer.microseconds))"
            : "work      \(layer.multiplyAdds.grouped) multiply-adds"
        return ["memory    \(layer.layout), \(layer.memory)", work]
            + stripLines(layer) + deviceLines(layer) + accepting.lines()
            + declining.map { "declines  \($0.names.joined(separator: ", ")): \($0.reason)" }
    }

    private static func deviceLines(_ layer: PlanDescription.Layer) -> [String] {
        layer.deviceReason.map { ["device    \($0)"] } ?? []
    }

    private static func measurement(_ candidate: PlanDescription.Candidate) -> String {
        guard let microseconds = candidate.measuredMicroseconds, let threads = candidate.measuredThreads else {
            return ""
        }
        return "measured \(time(microseconds)) an image on \(threads) thread\(threads == 1 ? "" : "s")"
    }

    /// The time expected of the layer, and the one by which candidates are compared where that is another.
    private static func expectation(_ candidate: PlanDescription.Candidate, _ microseconds: Double) -> String {
        let copies = candidate.copyMicroseconds, total = time(microseconds + copies)
        let ranked = candidate.rankedMicroseconds.map(time) ?? total
        return "expected " + time(microseconds) + (copies > 0 ? " and \(time(copies)) for copies" : "")
            + (ranked == total ? "" : ", \(ranked) for one image on one thread")
    }

    private static func time(_ microseconds: Double) -> String { String(format: "%.1f µs", microseconds) }
}
