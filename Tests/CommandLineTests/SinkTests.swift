import Apus
import Foundation
import Testing

@Suite struct SinkTests {
    private func written(_ kind: SinkKind, _ records: [PredictionRecord], _ options: RowOptions) async throws -> String
    {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("rows")
            var sink = try kind.sink(SinkTarget(path: file.path, options: options))
            for record in records { try sink.write(record) }
            try sink.finish()
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    private func record(_ id: String, _ confidences: [Float], _ names: [String]? = nil) -> PredictionRecord {
        PredictionRecord(
            id: id, result: .success(Classification(confidences: confidences, labels: names.map { Labels($0) })))
    }

    @Test func numbersWithoutAWordInJSONAreNull() async throws {
        let record = record("a", [.infinity, 0.5, -.infinity, .nan])
        let rows = try Row.all(
            try await written(.jsonLines, [record], RowOptions(minimumConfidence: -.infinity)).split(separator: "\n"))
        let predictions = try #require(rows.first?.predictions)
        #expect(predictions.first?.index == 0)
        #expect(predictions.first?.confidence == nil)
        #expect(predictions[1].confidence == 0.5)
        #expect(predictions.allSatisfy { $0.label == nil })
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1"])
    func textThatASpreadsheetWouldRunIsDefused(_ text: String) async throws {
        let rows = try StrictCSV.rows(try await written(.csv, [record(text, [1], [text])], RowOptions(top: 1)))
        #expect(rows[1] == ["'" + text, "", "0", "'" + text, "1.0"])
    }

    @Test(arguments: ["a,b", "say \"hi\"", "two\nlines", "cr\rlf\r\n", " edges ", "plain", "日本語", ""])
    func everyTextSurvivesCSVAndJSON(_ text: String) async throws {
        let rows = try StrictCSV.rows(try await written(.csv, [record("x", [1], [text])], RowOptions(top: 1)))
        #expect(rows[1][3] == text)
        let json = try Row.all(
            try await written(.jsonLines, [record(text, [1], [text])], RowOptions(top: 1)).split(separator: "\n"))
        #expect(json.map(\.id) == [text])
        #expect(json.first?.predictions?.first?.label == text)
    }

    @Test func noRecordsAreStillAValidFile() async throws {
        #expect(try await written(.csv, [], RowOptions(top: 1)) == "id,error,index_1,label_1,confidence_1\r\n")
        #expect(try await written(.jsonLines, [], RowOptions()).isEmpty)
    }
}
