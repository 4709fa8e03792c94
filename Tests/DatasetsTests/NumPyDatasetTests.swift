import Apus
import Foundation
import TestSupport
import Testing

@Suite("NumPy arrays")
struct NumPyDatasetTests {
    @Test("Rows of uint8 are pictures, in every order of axes", arguments: ["rgb.npy", "planes.npy", "columns.npy"])
    func pictures(name: String) throws {
        let path = DatasetFixtures.path(name)
        let records = try NumPyDataset.numPy(path).all()
        #expect(records.map(\.id) == (0..<5).map { "\(path)[\($0)]" })
        #expect(try records.map { try $0.pixels } == DatasetFixtures.pictures().pixels)
    }

    @Test("Rows of one channel are grey pictures")
    func gray() throws {
        let records = try NumPyDataset.numPy(DatasetFixtures.path("gray.npy")).all()
        let expected = try DatasetFixtures.pictures().pixels.map { pixels in
            stride(from: 0, to: pixels.count, by: 3).flatMap { [pixels[$0], pixels[$0], pixels[$0]] }
        }
        #expect(try records.map { try $0.pixels } == expected)
    }

    @Test("An array that is one picture is one record", arguments: [("(48, 3, 3)", 48, 3), ("(12, 12, 1)", 12, 12)])
    func onePicture(shape: String, height: Int, width: Int) throws {
        try withTemporaryFolder { folder in
            let channels = shape.hasSuffix("1)") ? 1 : 3
            let bytes = (0..<height * width * channels).map { UInt8(truncatingIfNeeded: $0) }
            let path = try folder.write("a.npy", Self.header(shape) + Data(bytes))
            let records = try NumPyDataset.numPy(path).all()
            #expect(records.map(\.id) == ["\(path)[0]"])
            let image = try records[0].source.image(Image.DecodingOptions())
            #expect((image.width, image.height) == (width, height))
            #expect(image.pixels == (channels == 3 ? bytes : bytes.flatMap { [$0, $0, $0] }))
        }
    }

    @Test("Other rows are the network's numbers as they are")
    func numbers() async throws {
        let records = try NumPyDataset.numPy(DatasetFixtures.path("numbers.npy")).all()
        let first = try DatasetFixtures.pictures().pixels[0]
        guard case .array(let row) = try records[0].source.resolved() else {
            Issue.record("no array")
            return
        }
        #expect(row.shape == [3, 8, 6])
        let values = row.elements(as: Double.self)
        #expect((0..<48).allSatisfy { values[$0] == Double(first[$0 * 3]) / 255 })
    }

    @Test("Arrays go into a network that takes their shape, and are errors otherwise")
    func prediction() async throws {
        let classifier = try await Classifier(TestedNetworks.small())
        for (shape, code) in [([3, 3, 16, 16], nil), ([3, 3, 16, 15], "shape"), ([3, 16, 16], "shape")] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.appending(path: "a.npy").path
            let array = try Tensor.random(shape, seed: 3)
            try array.write(toNumPyFile: path)
            var count = 0
            for try await record in classifier.predictions(over: NumPyDataset.numPy(path), batch: 2) {
                switch record.classification {
                case .failure(let error): #expect(error.code == code)
                case .success(let answer):
                    let row = try array.sliced(axis: 0, count..<count + 1).contiguous()
                    let scores = try await classifier.session.predict(["image": row])["scores"]
                    let largest = scores?.elements(as: Float.self).enumerated().max { $0.element < $1.element }
                    #expect(code == nil && answer.best.index == largest?.offset)
                }
                count += 1
            }
            #expect(count == 3)
        }
    }

    @Test("Archives have the records of every array of pictures, with labels")
    func archives() throws {
        let pictures = try DatasetFixtures.pictures()
        let stored = DatasetFixtures.path("stored.npz")
        let records = try NumPyDataset.numPy(stored).all()
        let names = ["x_train[0]", "x_train[1]", "x_train[2]", "x_test[0]", "x_test[1]"]
        #expect(records.map(\.id) == names.map { "\(stored)/\($0)" })
        #expect(records.map(\.label) == pictures.labels.map(String.init))
        #expect(try records.map { try $0.pixels } == pictures.pixels)
        let deflated = try NumPyDataset.numPy(DatasetFixtures.path("deflated.npz")).all()
        #expect(deflated.map(\.label) == pictures.labels.map(String.init))
        #expect(try deflated.map { try $0.pixels } == pictures.pixels)
    }

    @Test("An array that is cut off gives its whole rows and one error")
    func cut() throws {
        let whole = try DatasetFixtures.data("rgb.npy")
        let rowByteCount = 8 * 6 * 3
        try withTemporaryFolder { folder in
            for missing in [1, rowByteCount - 1, rowByteCount, 3 * rowByteCount + 5, 5 * rowByteCount] {
                let path = try folder.write("a.npy", whole.dropLast(missing))
                let records = try NumPyDataset.numPy(path).all()
                let left = 5 - (missing + rowByteCount - 1) / rowByteCount
                #expect(records.count == left + 1, "\(missing)")
                #expect(records.map(\.errorCode) == Array(repeating: nil, count: left) + ["truncated"])
            }
            let long = try folder.write("b.npy", whole + [0])
            #expect(throws: ApusError.self) { try NumPyDataset.numPy(long).all() }
            let huge = try folder.write("c.npy", Self.header("(7000000000, 8, 6, 3)") + Data(count: 144))
            #expect(try NumPyDataset.numPy(huge).all().map(\.errorCode) == [nil, "truncated"])
            for shape in ["(9000000000000000000, 900, 6, 3)", "(5, 0, 6, 3)", "()", "(2, 2000000000, 3)"] {
                let path = try folder.write("d.npy", Self.header(shape) + Data(count: 144))
                #expect(throws: ApusError.self, "\(shape)") { try NumPyDataset.numPy(path).all() }
            }
        }
    }

    @Test(
        "Archives that hold no pictures or lie are refused",
        arguments: [("other.npz", "without NumPy arrays"), ("bomb.npz", "its size in the archive differs")])
    func badArchives(name: String, message: String) throws {
        let error = #expect(throws: ApusError.self) { try NumPyDataset.numPy(DatasetFixtures.path(name)).all() }
        #expect(error.map { "\($0)" }?.contains(message) == true)
    }

    @Test(
        "Damaged archives are errors and never trap, wherever the damage is", arguments: ["stored.npz", "deflated.npz"])
    func damaged(name: String) throws {
        let whole = try DatasetFixtures.data(name)
        let pictures = try DatasetFixtures.pictures().pixels
        var generator = SplitMix64(seed: 13)
        try withTemporaryFolder { folder in
            for round in 0..<300 {
                var bytes = whole
                if round % 3 == 0 {
                    bytes = bytes.prefix(4 + Int(generator.next() % UInt64(bytes.count - 4)))
                } else {
                    let position = Int(generator.next() % UInt64(bytes.count))
                    bytes[position] ^= UInt8(1 + generator.next() % 255)
                }
                let path = try folder.write(name, bytes)
                guard let records = try? NumPyDataset.numPy(path).all() else { continue }
                #expect(round % 3 != 0, "an archive that is cut off has no list of contents")
                #expect(records.count <= 5)
                // The last row of an array comes only when the whole array has its checksum.
                if records.count == 5, records.allSatisfy({ $0.errorCode == nil }) {
                    #expect(try records.map { try $0.pixels } == pictures)
                }
            }
        }
    }

    private static func header(_ shape: String) -> Data {
        var text = "{'descr': '|u1', 'fortran_order': False, 'shape': \(shape), }"
        text += String(repeating: " ", count: 117 - text.utf8.count) + "\n"
        return Data([0x93] + Array("NUMPY".utf8) + [1, 0, 118, 0]) + Data(text.utf8)
    }
}
