import Models
import Platform
import Quantizing
import Runs

/// What quantizing did to a network as a self-contained HTML page.
///
///     try QuantizationPage(report, of: model).write(to: "report.html")
///
/// It shows which layers cost accuracy where ``Model/QuantizationOptions/measuresEffects`` was set.
public struct QuantizationPage: Sendable {
    /// The text of the page.
    public let html: String

    /// Makes a page.
    public init(_ report: QuantizationReport, of model: Model) {
        let pictures = "\(report.imageCount) picture\(report.imageCount == 1 ? "" : "s")"
        var page = ReportPage(
            kind: .quantization, title: "\(model.name.printable) in 8 bits",
            subtitle: "calibrated with \(pictures); \(report.unreadableCount) could not be read")
        page.append(Self.findings(report))
        if let effects = report.effects { page.append(effects) }
        page.append(report.layers)
        html = page.html
    }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) { try OutputFile.replace(path) { try $0.write(html) } }

    private static func answersKept(_ report: QuantizationReport) -> [String] {
        let count = "\(report.agreementCount) of \(report.imageCount) pictures keep their"
        guard let boxes = report.boxAgreement else {
            return [
                "\(count) best class.",
                "\(Figure.percent(report.expectedAgreement)) of similar pictures are expected to.",
            ] + (report.decodingProblem.map { ["Boxes could not decide: \($0.printable)."] } ?? [])
        }
        return [
            "\(count) number of objects of each class.",
            "Beside the boxes in float32 the mean average precision is \(boxes.text(decimals: 3)).",
        ]
    }

    private static func findings(_ report: QuantizationReport) -> [Finding] {
        let first = report.floatLayerCount
        let rule =
            switch first {
            case 0: "No first or last layer had to."
            case 1: "The first layer and the last."
            default: "The first \(first) layers and the last."
            }
        let all = report.effects.map { effects in
            "\(effects.count(where: { !$0.isRounded })) of \(effects.count) convolutions and products in all."
        }
        var findings = [
            Finding(
                question: "Do answers stay?",
                answer: answersKept(report), tone: .plain),
            Finding(
                question: "What stays in float32?", answer: [rule] + (all.map { [$0] } ?? []), tone: .plain),
        ]
        if let effects = report.effects, let worst = effects.first {
            let squares = effects.map { $0.outputError * $0.outputError }
            let share = (squares.first ?? 0) / max(squares.reduce(0, +), .leastNormalMagnitude)
            findings.append(
                Finding(
                    question: "Which layer costs most?",
                    answer: [
                        "\(worst.name.printable): alone it moves the output by \(Figure.percent(worst.outputError)).",
                        "That is \(Figure.percent(share)) of the squared errors of all layers.",
                    ], tone: .plain))
        }
        return findings
    }
}

extension ReportPage {
    /// Adds the layers by what rounding each alone does.
    fileprivate mutating func append(_ effects: [QuantizationReport.LayerEffect]) {
        var table = ReportTable(
            "Every layer, rounded alone",
            [
                .text("layer"), .text("operator"), .number("weights", "The number of weights"),
                .number(
                    "error alone", "The change of the output when only this layer is rounded, relative to the output"),
                .text("in the file"),
            ])
        let largest = max(effects.map(\.outputError).filter(\.isFinite).max() ?? 0, .leastNormalMagnitude)
        for effect in effects {
            table.append([
                .text(effect.name.printable), .text(effect.operator),
                .number(Double(effect.weightCount)) { _ in "\(effect.weightCount)" },
                .number(effect.outputError, Figure.error, bar: effect.outputError / largest),
                .text(effect.isRounded ? "8 bits" : "float32"),
            ])
        }
        append(
            "Which layers cost accuracy",
            note: "For each layer, the network ran with its weights and its input rounded, and everything else in "
                + "float32. apus quantize --keep-layer NAME leaves a layer in float32.",
            html: table.html)
    }

    /// Adds the values by their errors in the quantized network.
    fileprivate mutating func append(_ layers: [QuantizationReport.Layer]) {
        var table = ReportTable(
            "Every rounded value",
            [
                .text("value"),
                .number("error", "Root mean square of the difference ÷ that of the float network's value"),
            ])
        let largest = max(layers.map(\.relativeError).filter(\.isFinite).max() ?? 0, .leastNormalMagnitude)
        for layer in layers {
            table.append([
                .text(layer.name.printable),
                .number(layer.relativeError, Figure.error, bar: layer.relativeError / largest),
            ])
        }
        append(
            "Values in the quantized network",
            note: "These errors hold what all layers before a value add to it.", html: table.html)
    }
}
