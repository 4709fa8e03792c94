import Apus
import Foundation
import TestSupport
import Testing

@Suite struct SinkTests {
    private func written(_ kind: SinkKind, _ records: [PredictionRecord<ImageAnswer>], _ options: SinkKind.RowOptions)
        async throws
        -> String
    {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("rows")
            var sink = try kind.sink(SinkTarget(path: file.path, options: options))
            for record in records { try sink.write(record) }
            try sink.finish()
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    private func record(_ id: String, _ confidences: [Float], _ names: [String]? = nil) -> PredictionRecord<ImageAnswer>
    {
        PredictionRecord(
            id: id, result: .success(Classification(confidences: confidences, labels: names.map { Labels($0) })))
    }

    @Test func numbersWithoutAWordInJSONAreNull() async throws {
        let record = record("a", [.infinity, 0.5, -.infinity, .nan])
        let rows = try Row.all(
            try await written(.jsonLines, [record], SinkKind.RowOptions(minimumConfidence: -.infinity)).split(
                separator: "\n"))
        let predictions = try #require(rows.first?.predictions)
        #expect(predictions.first?.index == 0)
        #expect(predictions.first?.confidence == nil)
        #expect(predictions[1].confidence == 0.5)
        #expect(predictions.allSatisfy { $0.label == nil })
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1"])
    func textThatASpreadsheetWouldRunIsDefused(_ text: String) async throws {
        let rows = try StrictCSV.rows(try await written(.csv, [record(text, [1], [text])], SinkKind.RowOptions(top: 1)))
        #expect(rows[1] == ["'" + text, "", "0", "'" + text, "1.0", ""])
    }

    @Test(arguments: ["a,b", "say \"hi\"", "two\nlines", "cr\rlf\r\n", " edges ", "plain", "日本語", ""])
    func everyTextSurvivesCSVAndJSON(_ text: String) async throws {
        let rows = try StrictCSV.rows(try await written(.csv, [record("x", [1], [text])], SinkKind.RowOptions(top: 1)))
        #expect(rows[1][3] == text)
        let json = try Row.all(
            try await written(.jsonLines, [record(text, [1], [text])], SinkKind.RowOptions(top: 1)).split(
                separator: "\n"))
        #expect(json.map(\.id) == [text])
        #expect(json.first?.predictions?.first?.label == text)
    }

    /// Removes the apostrophes that ``Swift/String/withoutFormulas`` inserts, as its documentation describes.
    private func read(_ cell: String) -> String {
        var result = Array(cell.unicodeScalars)
        let starters = Set("=+-@＝＋－＠".unicodeScalars), separators = Set(",;\t\r\n".unicodeScalars)
        var index = result.firstIndex { $0 != "'" } ?? result.count
        if index > 0, index < result.count, ["\t", "\r", "\n"].contains(result[index]) { result.remove(at: index - 1) }
        var mayBegin = true
        index = 0
        while index < result.count {
            if mayBegin, starters.contains(result[index]) {
                index -= 1
                result.remove(at: index)
            }
            mayBegin = separators.contains(result[index]) || mayBegin && [" ", "\"", "'"].contains(result[index])
            index += 1
        }
        return String(String.UnicodeScalarView(result))
    }

    @Test(arguments: [
        "a;=1+1.png", "a\t@SUM(A1)", "a;;+1", "a; =1", "a;\"=1+1\";b", "a,-1", "a\n=1", "a;'=1", "'=1", "''-1", "'\tx",
        "\t=1",
        " =1", "a;＝1", "=1;=2", "'a;b'", "it's", "a - b; c + d", "'", "",
    ])
    func textIsNoFormulaWhereverRowsAreDivided(_ text: String) async throws {
        let written = try await written(.csv, [record(text, [1], [text])], SinkKind.RowOptions(top: 1))
        let rows = try StrictCSV.rows(written)
        #expect(read(rows[1][0]) == text && read(rows[1][3]) == text)
        // Divided at any separator, whether or not it is quoted.
        for part in written.split(whereSeparator: { ",;\t\r\n".contains($0) || $0.isNewline }) {
            let first = part.first { !" \"".contains($0) }
            #expect(!"=+-@＝＋－＠".contains(first ?? "x"), "\(part)")
        }
        for separator in [",", ";", "\t"] where written.contains(separator) {
            #expect(!written.contains(separator + "="))
        }
    }

    @Test(arguments: ["\u{61C}", "\u{200B}", "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{E0001}", "\u{9B}", "\u{7F}"])
    func whatSteersATerminalIsEscapedInJSON(_ steering: String) async throws {
        let text = "a\(steering)b\u{200D}é"
        let written = try await written(.jsonLines, [record(text, [1], [text])], SinkKind.RowOptions(top: 1))
        #expect(!written.unicodeScalars.contains { steering.unicodeScalars.contains($0) })
        #expect(written.contains("\u{200D}é"))
        let rows = try Row.all(written.split(separator: "\n"))
        #expect(rows.map(\.id) == [text])
        #expect(rows.first?.predictions?.first?.label == text)
    }

    @Test func noRecordsAreStillAValidFile() async throws {
        let header = "id,error,index_1,label_1,confidence_1,warning\r\n"
        #expect(try await written(.csv, [], SinkKind.RowOptions(top: 1)) == header)
        #expect(try await written(.jsonLines, [], SinkKind.RowOptions()).isEmpty)
    }

    @Test("A file of CSV goes on only with the columns that it began with")
    func goesOnWithItsColumns() async throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("rows")
            let header = "id,error,index_1,label_1,confidence_1"
            for (columns, isRefused) in [(header, true), (header + ",warning", false)] {
                let content = columns + "\r\n" + String(repeating: "a", count: 20)
                try Data(content.utf8).write(to: file)
                let options = SinkKind.RowOptions(top: 1)
                let checkpoint = SinkCheckpoint(byteCounts: [columns.utf8.count + 2])
                let target = SinkTarget(path: file.path, options: options, checkpoint: checkpoint)
                if isRefused {
                    let error = #expect(throws: OutputError.self) { try SinkKind.csv.sink(target) }
                    #expect(error.map { "\($0)" }?.contains("has other columns") == true)
                } else {
                    var sink = try SinkKind.csv.sink(target)
                    try sink.write(record("a", [1]))
                    try sink.finish()
                    #expect(try String(contentsOf: file, encoding: .utf8) == columns + "\r\na,,0,,1.0,\r\n")
                }
            }
        }
    }
}
