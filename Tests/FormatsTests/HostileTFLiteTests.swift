import Formats
import Foundation
import Graphs
import Testing

/// A TensorFlow Lite file that must be refused, and a part of its error message. It is made by
/// `Tests/Fixtures/make_tflite_fixtures.py`.
struct HostileTFLiteModel: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let model: Data
    let message: String

    var testDescription: String { name }

    static let all: [HostileTFLiteModel] = {
        do {
            let file = Fixtures.folder.appending(path: "tflite/hostile.json")
            return try JSONDecoder().decode([HostileTFLiteModel].self, from: Data(contentsOf: file))
        } catch {
            Issue.record("Tests/Fixtures/tflite/hostile.json: \(error)")
            return []
        }
    }()
}

struct HostileTFLiteTests {
    @Test("Each hostile file is one clear line", arguments: HostileTFLiteModel.all)
    func refused(_ file: HostileTFLiteModel) {
        let error = #expect(throws: FormatError.self) { try TFLiteFormat().read(file.model, folder: nil) }
        #expect(error?.description.contains(file.message) == true, "\(error?.description ?? "no error")")
    }

    @Test("A million references to one table are refused")
    func sharedTable() {
        var bytes = Data()
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        let count = 1_000_000
        append(UInt32(20))
        bytes.append(contentsOf: "TFL3".utf8)
        // The fields of the root: its version and its operator codes.
        for number: UInt16 in [8, 12, 4, 8] { append(number) }
        append(UInt32(0))
        append(Int32(12))
        append(UInt32(3))
        append(UInt32(4))
        append(UInt32(count))
        for index in 0..<count { append(UInt32(4 * (count - index))) }
        // A table without fields, whose list of fields follows it.
        append(Int32(-4))
        for number: UInt16 in [4, 4] { append(number) }
        let error = #expect(throws: FormatError.self) { try TFLiteFormat().read(bytes, folder: nil) }
        #expect(error?.description.contains("many entries share one table") == true, "\(error?.description ?? "")")
    }

    @Test("A file that is cut anywhere is refused", arguments: [0, 5, 11])
    func cut(_ index: Int) throws {
        let whole = try model(index)
        for count in stride(from: 0, to: whole.count - 8, by: 3) {
            #expect(throws: FormatError.self) { try TFLiteFormat().read(whole.prefix(count), folder: nil) }
        }
    }

    @Test("Random damage is an error or a valid graph", arguments: 0..<12)
    func damaged(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let whole = try model(Int(seed) * 35)
        for _ in 0..<150 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do {
                try TFLiteFormat().read(bytes, folder: nil).validate()
            } catch {
                #expect(error is FormatError)
            }
        }
    }

    private struct Case: Decodable { let model: Data }

    private func model(_ index: Int) throws -> Data {
        let cases = try JSONDecoder().decode(
            [Case].self, from: Data(contentsOf: Fixtures.folder.appending(path: "tflite/cases.json")))
        return cases[index % cases.count].model
    }
}
