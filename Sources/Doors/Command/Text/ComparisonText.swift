import Apus
import FoundationEssentials
import Measuring
import SharedOptions

/// The text of a comparison.
struct ComparisonText {
    private let comparison: Comparison
    private let slowest: Int?

    /// - Parameter slowest: The number of slowest layers to show; nil for all.
    init(_ comparison: Comparison, slowest: Int?) {
        self.comparison = comparison
        self.slowest = slowest
    }

    var lines: [String] {
        let images = comparison.batch == 1 ? "one image" : "\(comparison.batch) images"
        return ["\(comparison.model.printable), runs of \(images)", ""] + times + peers + [""] + layers + agreement
            + [""] + findings
    }

    private var times: [String] {
        var table = TextTable([
            ("", .left), ("median", .right), ("min", .right), ("p90", .right), ("images/s", .right), ("ratio", .right),
            ("spread", .left), ("values", .right), ("grown by", .right), ("threads", .right),
        ])
        for result in comparison.results {
            let latency = result.benchmark.latency
            let memory = result.benchmark.memory
            table.append([
                result.label, Figure.time(result.seconds), Figure.time(latency?.minimum ?? .nan),
                Figure.time(latency?.p90 ?? .nan), Figure.number(result.imagesPerSecond),
                Figure.factor(result.ratio.median),
                "\(Figure.number(result.ratio.low))–\(Figure.number(result.ratio.high))",
                Figure.bytes(memory.arenaBytes + memory.deviceArenaBytes),
                result.residentBytes.map(Figure.bytes) ?? "–", "\(result.benchmark.configuration.threads)",
            ])
        }
        let noise = comparison.results.compactMap { result in
            result.benchmark.noise.map { "\(result.name.printable): \($0)" }
        }
        return table.lines() + noise
    }

    private var peers: [String] {
        if comparison.peers.isEmpty { return [] }
        var table = TextTable([
            ("beside", .left), ("version", .left), ("median", .right), ("min", .right), ("ratio", .right),
            ("spread", .left), ("loading", .right), ("memory", .right), ("largest error", .right),
        ])
        for peer in comparison.peers where peer.failure == nil {
            table.append([
                peer.name, peer.version ?? "–", peer.latency.map { Figure.time($0.p50) } ?? "–",
                peer.latency.map { Figure.time($0.minimum) } ?? "–",
                peer.ratio.map { Figure.factor($0.median) } ?? "–",
                peer.ratio.map { "\(Figure.number($0.low))–\(Figure.number($0.high))" } ?? "–",
                peer.loadSeconds.map(Figure.time) ?? "–", peer.modelBytes.map(Figure.bytes) ?? "–",
                peer.largestRelativeError.map(Figure.error) ?? "–",
            ])
        }
        let failures = comparison.peers.compactMap { peer in
            peer.failure.map { "\(peer.name) failed: \($0.printable)" }
        }
        let hasRun = comparison.peers.contains { $0.failure == nil }
        return [""] + (hasRun ? table.lines() : []) + failures
    }

    private var layers: [String] {
        if slowest == 0 { return [] }
        var columns: [(heading: String, alignment: TextTable.Alignment)] = [
            ("", .right), ("layer", .left), ("operator", .left),
        ]
        for result in comparison.results { columns += [(result.name, .right), ("limit", .right)] }
        columns += [("planner's choice", .left), ("saves", .right)]
        let hasAgreement = comparison.results.contains { $0.agreement != nil }
        if hasAgreement { for result in comparison.results { columns.append(("\(result.name) error", .right)) } }
        var table = TextTable(columns)
        for (position, layer) in shown {
            var cells = ["\(position + 1)", layer.name, layer.operator]
            for run in layer.runs {
                cells += [run.map { Figure.time($0.seconds) } ?? "–", run?.peakFraction.map(Figure.percent) ?? ""]
            }
            let choice = comparison.plannersChoice.flatMap { layer.runs[$0] }
            let saving = comparison.saving(layer, in: 0) ?? 0
            cells += [choice.map { "\($0.backend)/\($0.lowering)" } ?? "–", saving == 0 ? "" : Self.signed(saving)]
            if hasAgreement {
                cells += layer.agreements.map { agreement in
                    guard let agreement else { return "–" }
                    let mark = agreement.exceeds(comparison.tolerance) ? "! " : ""
                    return mark + Figure.error(agreement.largestRelativeError)
                }
            }
            table.append(cells)
        }
        let left = comparison.layers.count - shown.count
        let rest = left > 0 ? ["\(left) faster layers are not shown"] : []
        return table.lines() + rest + [explanation] + [""]
    }

    /// The layers to show, with their indices.
    private var shown: [(Int, Comparison.Layer)] {
        let all = comparison.layers.enumerated().map { ($0, $1) }
        guard let slowest, slowest < all.count else { return all }
        func seconds(_ layer: Comparison.Layer) -> Double { layer.runs[comparison.fastest]?.seconds ?? 0 }
        return all.sorted { seconds($0.1) > seconds($1.1) }.prefix(slowest).sorted { $0.0 < $1.0 }
    }

    private var explanation: String {
        "limit: the part of the time that the machine's arithmetic or bandwidth explains; saves: compared with "
            + comparison.results[0].name.printable
    }

    private static func signed(_ seconds: Double) -> String {
        (seconds < 0 ? "-" : "") + Figure.time(abs(seconds))
    }

    private var agreement: [String] {
        let judged = comparison.results.compactMap { result in result.agreement.map { (result.name, $0) } }
        guard !judged.isEmpty else { return [] }
        var table = TextTable([
            ("agreement", .left), ("", .left), ("largest error", .right), ("at", .left), ("exceeds first at", .left),
            ("layers", .right), ("top-1", .left), ("top-5", .left),
        ])
        for (name, agreement) in judged {
            table.append([
                name, agreement.agrees ? "agrees" : "DISAGREES", Figure.error(agreement.largestRelativeError),
                agreement.worstLayer ?? "–", agreement.firstExceeding ?? "–", "\(agreement.exceedingCount)",
                Self.changes(agreement.top1Changes), Self.changes(agreement.top5Changes),
            ])
        }
        let fused = comparison.fusedValues
        let names = fused.prefix(3).joined(separator: ", ").printable + (fused.count > 3 ? ", …" : "")
        return table.lines() + [
            "reference: \(comparison.reference); tolerance \(Figure.error(comparison.tolerance)), "
                + "\(comparison.inputs.count == 1 ? "1 input" : "\(comparison.inputs.count) inputs")"
        ] + (fused.isEmpty ? [] : ["fused away and not compared: \(fused.count) values of the file (\(names))"])
    }

    private static func changes(_ inputs: [String]?) -> String {
        guard let inputs else { return "no classes" }
        return inputs.isEmpty ? "same" : "changes on \(inputs.count)"
    }

    private var findings: [String] {
        comparison.findings.flatMap { finding in
            [finding.question] + finding.answer.map { "  \($0.printable)" }
        }
    }
}
