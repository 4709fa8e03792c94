import Platform

extension ComparisonPage {
    var agreementNote: String {
        let count = comparison.inputs.count
        let inputs =
            comparison.isSeeded
            ? "random numbers, which say nothing about accuracy" : count == 1 ? "one input" : "\(count) inputs"
        let fused = comparison.fusedValues.count
        let values =
            fused == 0
            ? "" : " \(fused) \(fused == 1 ? "value" : "values") of the file are fused away and not compared."
        return """
            The largest relative error of every layer on \(inputs), against \(comparison.reference). An error is relative to the \
            element or to the root mean square of the value, whichever is larger.\(values)
            """
    }

    var errorChart: String {
        let series = comparison.results.enumerated().map { index, result in
            let points = comparison.layers.map { layer in
                let agreement = layer.agreements[index]
                let tip = agreement.map { agreement in
                    let cosine = agreement.cosine.map { $0.text(decimals: 9) } ?? "not a number"
                    return "\(layer.name)\n\(result.name), \(layer.operator)\n"
                        + "relative error \(Figure.error(agreement.largestRelativeError))\n"
                        + "absolute error \(Figure.error(agreement.largestAbsoluteError))\n"
                        + "root mean square error \(Figure.error(agreement.rootMeanSquareError))\ncosine \(cosine)"
                }
                return ErrorChart.Series.Point(error: agreement?.largestRelativeError, tip: tip ?? layer.name)
            }
            let first = comparison.layers.firstIndex { $0.name == result.agreement?.firstExceeding }
            return ErrorChart.Series(
                points: points, color: index, mark: first.map { ($0, comparison.layers[$0].name) })
        }
        return ErrorChart(
            label: "Largest relative error of every layer", series: series, tolerance: comparison.tolerance
        ).html
    }

    var agreementTable: String {
        var summary = ReportTable(
            "Agreement of each configuration with the reference",
            [
                .text("configuration"), .text("agrees"), .number("largest error"), .text("at"),
                .text("first exceeds at"), .number("layers over"), .number("first class changes"),
                .number("best five change"),
            ])
        for result in comparison.results {
            guard let agreement = result.agreement else { continue }
            summary.append([
                .text(result.name), .text(agreement.agrees ? "yes" : "no", style: agreement.agrees ? "good" : "bad"),
                .number(agreement.largestRelativeError, Figure.error), .text(agreement.worstLayer ?? "–"),
                .text(agreement.firstExceeding ?? "–", style: agreement.firstExceeding == nil ? "" : "bad"),
                .number(Double(agreement.exceedingCount)) { String(Int($0)) },
                .number(agreement.top1Changes.map { Double($0.count) }) { String(Int($0)) },
                .number(agreement.top5Changes.map { Double($0.count) }) { String(Int($0)) },
            ])
        }
        var columns: [ReportTable.Column] = [.number("#"), .text("layer"), .text("value")]
        for result in comparison.results {
            columns.append(.number("\(result.name) relative"))
            columns.append(.number("absolute"))
            columns.append(.number("RMS"))
            columns.append(.number("1 − cosine"))
        }
        var table = ReportTable("Errors of every layer", columns)
        for (position, layer) in comparison.layers.enumerated() {
            var cells: [ReportTable.Cell] = [
                .number(Double(position + 1)) { String(Int($0)) }, .text(layer.name, style: "name", tip: layer.name),
                .text(layer.value, style: "muted name", tip: layer.value),
            ]
            for agreement in layer.agreements {
                var relative = ReportTable.Cell.number(agreement?.largestRelativeError, Figure.error)
                if let agreement, agreement.exceeds(comparison.tolerance) { relative.style = "bad" }
                cells.append(relative)
                cells.append(.number(agreement?.largestAbsoluteError, Figure.error))
                cells.append(.number(agreement?.rootMeanSquareError, Figure.error))
                cells.append(.number(agreement?.cosine.map { max(0, 1 - $0) }, Figure.error))
            }
            table.append(cells)
        }
        return summary.html + "\n" + table.html
    }
}
