import FoundationEssentials
import Measuring
import Platform

/// The text of a choice of precisions.
struct PrecisionText {
    let report: PrecisionReport

    init(_ report: PrecisionReport) { self.report = report }

    var lines: [String] {
        var table = TextTable([
            ("layer", .left), ("operator", .left), ("precision", .left), ("error alone", .right), ("saves", .right),
        ])
        for layer in report.layers {
            table.append([
                layer.name, layer.operator, layer.isRounded ? report.precision : "f32",
                layer.error.map(Self.text) ?? "not measured", Figure.microseconds(layer.savedMicroseconds),
            ])
        }
        return table.lines() + [""] + totals.map(\.printable)
    }

    private var totals: [String] {
        let pictures = report.pictures == 1 ? "1 picture" : "\(report.pictures) pictures"
        let saved = report.layers.filter(\.isRounded).reduce(0) { $0 + $1.savedMicroseconds }
        let possible = report.layers.reduce(0) { $0 + $1.savedMicroseconds }
        return [
            "\(report.model): \(report.roundedCount) of \(report.layers.count) layers in \(report.precision), chosen on "
                + pictures,
            "  error     at most \(Self.text(report.error)) (tolerance \(Self.text(report.tolerance))); with all layers in "
                + "\(report.precision) \(Self.text(report.errorOfAll))",
            agreement,
            "  saves     \(Figure.microseconds(saved)) of \(Figure.microseconds(possible)) expected for one image on one thread",
            "  kept      \(report.file ?? "nowhere")",
        ]
    }

    private var agreement: String {
        guard let agreement = report.agreement else {
            return report.comparesBoxes
                ? "  boxes     none in float32, so that only the tolerance decides"
                : "  classes   none: outputs are not scores of classes, so that only the tolerance decides"
        }
        let percent = Figure.percent(agreement)
        return report.comparesBoxes
            ? "  boxes     agree with those in float32 to \(percent) (mean average precision)"
            : "  classes   \(percent) of the pictures keep the best one"
    }

    private static func text(_ error: Double) -> String { error.text("%.1e") }
}
