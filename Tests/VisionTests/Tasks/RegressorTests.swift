import Apus
import Foundation
import TestSupport
import Testing

@Suite("Numbers that a network estimates")
struct RegressorTests {
    private static func model(_ name: String = "aesthetic", _ numbers: [Float] = [5.25, -1.5]) throws -> Model {
        try FixedOutputs.model([FixedOutputs.Output(name, [numbers.count], numbers)])
    }

    @Test("The numbers have the names of the labels, whatever their sign and size")
    func values() async throws {
        let labels = Labels(["quality", "noise"])
        let regressor = try await Regressor(Self.model(), labels: labels)
        let answer = try await regressor.predict(FixedOutputs.gray(64, 64))
        #expect(answer.values.map(\.value) == [5.25, -1.5])
        #expect(answer["noise"] == -1.5 && answer["age"] == nil)
        await #expect(throws: ApusError.self) { try await Regressor(Self.model(), labels: Labels(["quality"])) }
    }

    @Test("Rows, tables, arrays and databases have them")
    func rows() async throws {
        let regressor = try await Regressor(Self.model(), labels: Labels(["quality", "noise"]))
        let dataset = TestedDataset(count: 2)
        try await withTemporaryFolder { folder in
            func written(_ kind: SinkKind, _ name: String) async throws -> URL {
                let file = folder.appending(path: name)
                try await RunReservation.taking(file, resuming: false) { reservation in
                    let summary = try await BatchRunner(regressor).run(
                        over: dataset, into: RunOutput(reservation, as: kind))
                    #expect(summary.succeeded == 2 && summary.failed == 0)
                }
                return file
            }
            let lines = try String(contentsOf: await written(.jsonLines, "rows.jsonl"), encoding: .utf8)
            #expect(
                lines.hasPrefix(
                    #"{"id":"picture 0","regression":[{"index":0,"label":"quality","value":5.25},"#
                        + #"{"index":1,"label":"noise","value":-1.5}],"error":null}"#), "\(lines)")
            let cells = try String(contentsOf: await written(.csv, "rows.csv"), encoding: .utf8)
            #expect(
                cells.hasPrefix(
                    "id,error,index,label,value,warning\r\npicture 0,,0,quality,5.25,\r\npicture 0,,1,noise,-1.5,\r\n"),
                "\(cells)")
            let table = try String(contentsOf: await written(.table, "rows.txt"), encoding: .utf8)
            #expect(table.contains("quality 5.25, noise -1.5"))
            let array = try Data(contentsOf: await written(.numPy, "rows.npy"))
            let numbers = [Float](unsafeUninitializedCapacity: 4) { numbers, count in
                count = array.suffix(16).copyBytes(to: numbers) / 4
            }
            #expect(numbers == [5.25, -1.5, 5.25, -1.5])
            _ = try await written(.sqlite, "rows.sqlite")
        }
    }

    @Test("A network is recognised by the name of its output, and others are offered the task")
    func recognised() throws {
        #expect(try Self.model().purpose.task == .regress)
        let unnamed = try Self.model("y", [1]).purpose
        #expect(unnamed.task == nil && unnamed.candidates.contains(.regress))
    }
}
