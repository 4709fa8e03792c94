import Apus
import Foundation
import TestSupport
import Testing

/// Files and expectations made by `Tests/Fixtures/make_array_fixtures.py`.
@Suite struct NumPyTests {
    struct Expectations: Decodable {
        struct Good: Decodable, Sendable, CustomTestStringConvertible {
            let file: String
            let elementType: String
            let shape: [Int]
            let values: [Double]
            var testDescription: String { file }
        }

        struct Bad: Decodable, Sendable, CustomTestStringConvertible {
            let file: String
            let message: String
            var testDescription: String { file }
        }

        let good: [Good]
        let bad: [Bad]
    }

    static let expectations: Expectations = {
        do {
            return try JSONDecoder().decode(Expectations.self, from: Fixtures.data("arrays/arrays.json"))
        } catch {
            fatalError("Tests/Fixtures/arrays/arrays.json: \(error)")
        }
    }()

    @Test(arguments: expectations.good)
    func filesOfNumPyAreReadAndWrittenAgain(_ expected: Expectations.Good) async throws {
        let tensor = try Tensor(contentsOfNumPyFile: Fixtures.path("arrays/\(expected.file)"))
        #expect(tensor.elementType.rawValue == expected.elementType)
        #expect(tensor.shape == expected.shape)
        #expect(tensor.elements(as: Double.self) == expected.values)
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("again.npy").path
            try tensor.write(toNumPyFile: path)
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect((data.count - tensor.byteCount).isMultiple(of: 64))
            let again = try Tensor(contentsOfNumPyFile: path)
            #expect(again.elementType == tensor.elementType && again.shape == tensor.shape)
            #expect(again.elements(as: Double.self) == expected.values)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["again.npy"])
        }
    }

    @Test func rowMajorFilesAreWrittenAsNumPyWritesThem() async throws {
        let original = try Fixtures.data("arrays/little-f4.npy")
        let tensor = try Tensor(contentsOfNumPyFile: Fixtures.path("arrays/little-f4.npy"))
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("same.npy")
            try tensor.write(toNumPyFile: file.path)
            #expect(try Data(contentsOf: file) == original)
        }
    }

    @Test(arguments: expectations.bad)
    func damagedFilesSayWhatIsWrong(_ expected: Expectations.Bad) throws {
        let path = Fixtures.path("arrays/\(expected.file)")
        let error = #expect(throws: ApusError.self) { try Tensor(contentsOfNumPyFile: path) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix(path + ": "))
        #expect(text.contains(expected.message))
        #expect(error?.kind == .file)
    }

    @Test func anArrayThatCannotBeWrittenLeavesNothing() async throws {
        let tensor = try Tensor([1, 2, 3] as [Float], shape: [3])
        #expect(throws: ApusError.self) { try tensor.write(toNumPyFile: "/dev/null/a.npy") }
        try withTemporaryFolder { folder in
            #expect(throws: ApusError.self) { try tensor.write(toNumPyFile: folder.path) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.deletingLastPathComponent().path)
            #expect(!names.contains(folder.lastPathComponent + ".partial"))
        }
    }
}
