import Apus
import Foundation
import TestSupport
import Testing

@Suite("Outputs of every element type in rows")
struct ElementTypeTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let tensor: Tensor
        /// The elements as JSON has them.
        let json: String
        /// The elements as CSV has them.
        let csv: String
        /// The description of the type in an array of NumPy.
        let type: String

        init<Element: TensorElement>(_ elements: [Element], _ json: String, _ type: String, csv: String? = nil) throws {
            tensor = try Tensor(elements, shape: [elements.count])
            self.json = json
            self.csv = csv ?? json.replacing(",", with: " ")
            self.type = type
        }

        var testDescription: String { tensor.elementType.description }
    }

    private static func cases() throws -> [Case] {
        [
            try Case(
                [16_777_217, -9_007_199_254_740_993, .max, .min] as [Int64],
                "16777217,-9007199254740993,9223372036854775807,-9223372036854775808", "<i8"),
            try Case([0, .max] as [UInt64], "0,18446744073709551615", "<u8"),
            try Case([16_777_217, .min] as [Int32], "16777217,-2147483648", "<i4"),
            try Case([0, .max] as [UInt32], "0,4294967295", "<u4"),
            try Case([5, -5] as [Int16], "5,-5", "<i2"), try Case([5, .max] as [UInt16], "5,65535", "<u2"),
            try Case([5, -5] as [Int8], "5,-5", "|i1"), try Case([5, .max] as [UInt8], "5,255", "|u1"),
            try Case([true, false], "true,false", "|b1"),
            try Case(
                [1e300, 0.1, 16_777_217, .infinity, .nan] as [Double], "1e+300,0.1,16777217.0,null,null", "<f8",
                csv: "1e+300 0.1 16777217.0 inf nan"),
            try Case([0.1, 5, -.infinity] as [Float], "0.1,5.0,null", "<f4", csv: "0.1 5.0 -inf"),
            try Case([0.5, 65_504] as [Float16], "0.5,65504.0", "<f2"),
        ]
    }

    @Test("Rows of text have every element exactly")
    func text() throws {
        for expected in try Self.cases() {
            let record = PredictionRecord(
                id: "a.png", answer: .success(ImageAnswer(NetworkOutputs([.init(name: "y", tensor: expected.tensor)]))))
            let options = SinkKind.RowOptions(content: .outputs)
            let json = record.erased.jsonText(options)
            #expect(json.contains("\"type\":\"\(expected.testDescription)\""))
            #expect(json.contains("\"values\":[\(expected.json)]"), "\(json)")
            try withTemporaryFolder { folder in
                let file = folder.appending(path: "a.csv")
                var csv: any Sink = try SinkKind.csv.sink(SinkTarget(path: file.path, options: options))
                try csv.write(record)
                try csv.finish()
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains(",\(expected.csv),"), "\(text)")
            }
        }
    }

    @Test("Arrays have the output's type, and rows without an answer are NaN or 0")
    func arrays() throws {
        for expected in try Self.cases() {
            try withTemporaryFolder { folder in
                let path = folder.appending(path: "a.npy").path
                var target = SinkTarget(path: path, options: SinkKind.RowOptions(content: .outputs))
                target.scoreShape = expected.tensor.shape
                target.scoreType = expected.tensor.elementType
                var sink = try SinkKind.numPy.sink(target)
                try sink.write(
                    PredictionRecord(
                        id: "a",
                        answer: .success(ImageAnswer(NetworkOutputs([.init(name: "y", tensor: expected.tensor)])))
                    ))
                // The run is resumed here.
                target.checkpoint = try sink.commit()
                sink = try SinkKind.numPy.sink(target)
                try sink.write(
                    PredictionRecord(
                        id: "b", answer: .failure(RecordError(stage: "read", code: "unreadable", message: "gone"))))
                try sink.finish()
                let data = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(String(decoding: data.prefix(128), as: UTF8.self).contains("'descr': '\(expected.type)'"))
                let array = try Tensor(contentsOfNumPyFile: path)
                #expect(array.shape == [2] + expected.tensor.shape)
                let whole = try expected.tensor.withContiguousBytes { Data($0) }
                #expect(data.dropFirst(128).prefix(whole.count) == whole)
                let missing = array.elements(as: Double.self).suffix(expected.tensor.elementCount)
                #expect(missing.allSatisfy { expected.tensor.elementType.isFloatingPoint ? $0.isNaN : $0 == 0 })
            }
        }
    }

    @Test("Types that NumPy lacks are float32 in its files")
    func bfloat16() throws {
        try withTemporaryFolder { folder in
            let tensor = try Tensor([1.5, -2] as [Float], shape: [2]).converted(to: .bfloat16)
            let path = folder.appending(path: "a.npy").path
            try tensor.write(toNumPyFile: path)
            let array = try Tensor(contentsOfNumPyFile: path)
            #expect(array.elementType == .float32 && array.elements(as: Float.self) == [1.5, -2])
        }
    }
}
