import Apus
import FoundationEssentials
import Measuring
import Platform

/// The text of a plan: a line per layer, optional reasons, and totals.
struct PlanText {
    /// The layers to show.
    struct Selection {
        /// The name of the only layer to show, with all its details.
        var layer: String?
        /// The backend whose layers are shown.
        var backend: String?

        func shows(_ shown: PlanDescription.Layer) -> Bool {
            (layer == nil || layer == shown.name) && (backend == nil || backend == shown.backend)
        }
    }

    private let plan: PlanDescription
    private let showsReasons: Bool
    private let tuningFile: String?
    private let selection: Selection
    private let shown: [Int]

    /// - Parameters:
    ///   - tuningFile: The file of measured times.
    init(
        _ plan: PlanDescription, showsReasons: Bool, tuningFile: String? = nil, selection: Selection = Selection()
    ) {
        self.plan = plan
        self.showsReasons = showsReasons || selection.layer != nil
        self.tuningFile = tuningFile
        self.selection = selection
        shown = plan.layers.indices.filter { selection.shows(plan.layers[$0]) }
    }

    var lines: [String] {
        let isMeasured = shown.contains { plan.layers[$0].isMeasured }
        var table = TextTable([
            ("", .right), ("", .left), ("layer", .left), ("operator", .left), ("shapes", .left), ("lowering", .left),
            (isMeasured ? "time" : "expected", .right), ("", .left),
        ])
        let reasons =
            showsReasons ? PlanReasons(plan.layers, shown: shown, isGrouped: selection.layer == nil) : nil
        for index in shown {
            let layer = plan.layers[index]
            table.append([
                "\(index + 1)", Self.bracket(index, layer.strips), layer.name, layer.operator, Self.shapes(layer),
                "\(layer.backend)/\(layer.lowering)", Figure.microseconds(layer.bestKnownMicroseconds),
                isMeasured ? Self.source(layer, plan.threads) : "",
            ])
            for line in reasons?.lines(index) ?? [] { table.appendLine("        " + line.printable) }
        }
        let shared = reasons?.shared ?? []
        let empty = shown.isEmpty ? ["no layer runs on \(selection.backend ?? "")"] : []
        return table.lines() + empty + (shared.isEmpty ? [] : [""] + shared.map(\.printable)) + [""]
            + (totals + continuation).map(\.printable)
    }

    /// The nodes that run after the layers, because their shapes are known only then.
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
        let multiplyAdds = plan.layers.reduce(0) { $0 + $1.multiplyAdds } * plan.runs
        let inputs = plan.inputs.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let threads = plan.threads == 1 ? "1 thread" : "\(plan.threads) threads"
        let backends = Dictionary(grouping: plan.layers, by: \.backend).sorted { $0.key < $1.key }
        let times = backends.map { "\($0.key) \($0.value.count) (\(Figure.percent(share($0.value))) of the time)" }
        return [
            "\(plan.model): \(plan.layers.count) layers for \(inputs.joined(separator: ", ")) on \(threads)",
            "  layers    \(times.joined(separator: ", "))",
            "  batch     \(plan.runs == 1 ? "whole" : "in \(plan.runs) equal parts"): \(plan.batching)",
            "  chosen    \(choices)",
            "  arena     \(plan.arenaBytes.grouped) bytes"
                + (plan.deviceArenaBytes > 0 ? ", and \(plan.deviceArenaBytes.grouped) bytes on the device" : ""),
            "  work      \(multiplyAdds.grouped) multiply-adds", time,
        ] + (plan.precisions.map { ["  precision \($0)"] } ?? []) + crossings
    }

    private func milliseconds(_ layers: [PlanDescription.Layer]) -> Double {
        layers.reduce(0) { $0 + $1.bestKnownMicroseconds } * Double(plan.runs) / 1000
    }

    private func share(_ layers: [PlanDescription.Layer]) -> Double {
        milliseconds(layers) / max(milliseconds(plan.layers), 1e-9)
    }

    /// The time of all layers, by measured times where there are any.
    private var time: String {
        func text(_ milliseconds: Double) -> String { "\(milliseconds.text(decimals: 2)) ms" }
        let measured = plan.layers.filter(\.isMeasured)
        if measured.isEmpty { return "  expected  \(text(milliseconds(plan.layers)))" }
        return "  time      \(text(milliseconds(plan.layers))): \(text(milliseconds(measured))) measured, "
            + "\(text(milliseconds(plan.layers.filter { !$0.isMeasured }))) expected"
    }

    /// The transfers between the processor's memory and the device's.
    private var crossings: [String] {
        let transfers = plan.layers.filter { $0.transferBytes > 0 }
        guard !transfers.isEmpty else { return [] }
        let directions = Dictionary(grouping: transfers, by: \.lowering).sorted { $1.key < $0.key }
        let counts = directions.map { direction, layers in
            "\(layers.count) \(direction)\(layers.count == 1 ? "" : "s") of "
                + "\(layers.reduce(0) { $0 + $1.transferBytes }.grouped) bytes"
        }
        let microseconds = transfers.reduce(0) { $0 + $1.microseconds }
        return ["  crossings \(counts.joined(separator: ", ")), expected \(Figure.microseconds(microseconds))"]
    }

    /// The bracket that joins the lines of layers that run together.
    private static func bracket(_ index: Int, _ strips: PlanDescription.Strips?) -> String {
        guard let strips else { return "" }
        return index == strips.firstLayer ? "┌" : index == strips.lastLayer ? "└" : "│"
    }

    /// The basis on which lowerings were chosen.
    private var choices: String {
        let measured = plan.layers.filter(\.isMeasured).count
        if measured == 0 { return "by expected times (apus tune measures)" }
        return "by measured times in \(measured) of \(plan.layers.count) layers, by expected ones in the others"
            + (tuningFile.map { "; measured times are from \($0)" } ?? "")
    }

    /// The origin of a layer's time.
    private static func source(_ layer: PlanDescription.Layer, _ threads: Int) -> String {
        guard let measured = layer.measuredThreads else { return "expected" }
        return measured == threads ? "measured" : "measured on \(measured) thread\(measured == 1 ? "" : "s")"
    }

    /// The maximum number of outputs whose shapes are shown.
    private static let shownOutputCount = 8

    /// The shapes of the first input and of the outputs, without weights, and whether these are stored in bfloat16.
    private static func shapes(_ layer: PlanDescription.Layer) -> String {
        let inputs = layer.inputs.first.map { "\($0)" } ?? "[]"
        let isRounded = layer.elementType == ElementType.bfloat16.rawValue
        let outputs = layer.outputs.prefix(shownOutputCount).map { "\($0)" }.joined(separator: ", ")
        let rest = layer.outputs.count - shownOutputCount
        return inputs + " → " + outputs + (rest > 0 ? ", … (\(rest.grouped) more)" : "") + (isRounded ? " bf16" : "")
    }
}

extension PlanDescription.Layer {
    /// The measured time, or the expected one where none was measured.
    fileprivate var bestKnownMicroseconds: Double { measuredMicroseconds ?? microseconds }
}

extension Figure {
    static func microseconds(_ microseconds: Double) -> String { "\(microseconds.text(decimals: 1)) µs" }
}
