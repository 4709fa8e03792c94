import Apus
import Foundation
import Images
import TestSupport
import Testing

/// A small network of Core ML with inputs and the answer of NumPy. It is made by
/// `Tests/Fixtures/make_coreml_network_fixtures.py`.
struct CoreMLNetworkCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let model: Data
    let tolerance: Double
    let inputs: [String: TFLiteCase.Content]
    let outputs: [String: TFLiteCase.Content]

    var testDescription: String { name }

    static let all: [CoreMLNetworkCase] = {
        do {
            let file = CoreMLLayerCase.folder.appending(path: "networks.json")
            return try JSONDecoder().decode([CoreMLNetworkCase].self, from: Data(contentsOf: file))
        } catch {
            Issue.record("Tests/Fixtures/coreml/networks.json: \(error)")
            return []
        }
    }()

    static func model(_ name: String) throws -> Model {
        let found = try #require(all.first { $0.name == name })
        return try Model(content: found.model, name: name)
    }
}

@Suite("Small networks of Core ML")
struct CoreMLNetworkTests {
    private static let answered = CoreMLNetworkCase.all.filter { !$0.outputs.isEmpty }

    @Test("Each gives NumPy's answer, also for other extents than the file's", arguments: answered)
    func agrees(_ testCase: CoreMLNetworkCase) async throws {
        let model = try Model(content: testCase.model, name: testCase.name)
        let inputs = try testCase.inputs.mapValues { try $0.tensor() }
        for backend in [BackendName.cpu, .reference] {
            let outputs = try await Session(model, options: .init(backends: [backend], threads: 1)).predict(inputs)
            for (name, content) in testCase.outputs {
                let expected = try content.tensor()
                let found = try #require(outputs[name])
                #expect(found.shape == expected.shape)
                let pairs = zip(found.elements(as: Double.self), expected.elements(as: Double.self))
                let worst = pairs.map { abs($0 - $1) / max(1, abs($1)) }.max() ?? 0
                #expect(worst <= testCase.tolerance, "\(backend), \(name): \(worst)")
            }
        }
    }

    @Test("All cases are there")
    func count() { #expect(Self.answered.count > 30) }

    @Test(
        "The colors of a picture that a network makes are in the order that the file names for the output",
        arguments: [("RGB", "RGB", false), ("RGB", "BGR", true), ("BGR", "RGB", true), ("BGR", "BGR", false)])
    func colors(_ given: String, _ made: String, _ isExchanged: Bool) async throws {
        let model = try CoreMLNetworkCase.model("picture_\(given)_\(made)")
        var (pixels, exchanged): ([UInt8], [UInt8]) = ([], [])
        for index in UInt8(0)..<48 {
            pixels += [200 + index, 2 * index, 50]
            exchanged += [50, 2 * index, 200 + index]
        }
        let picture = try Image(width: 6, height: 8, pixels: pixels)
        let image = try await ImageGenerator(model).predict(.image(picture)).image()
        #expect(image.pixels == (isExchanged ? exchanged : pixels))
        #expect(model.purpose.task == .image)
    }

    @Test("Classes that an ML program names by integers are labels")
    func integerLabels() throws {
        let model = try CoreMLNetworkCase.model("integer_labels")
        #expect((0..<3).map { model.labels?[$0] } == ["10", "7", "22"])
    }

    @Test("What an optional input is by default is said")
    func optionalInput() throws {
        let model = try CoreMLNetworkCase.model("optional_given")
        #expect(model.source.metadata["input s"] == "array [3], optional, 2.5 where it is not given")
    }

    @Test("The functions of a program are told, with the one that is read")
    func functions() throws {
        let model = try CoreMLNetworkCase.model("functions")
        #expect(model.source.metadata["functions"] == "main, other (read)")
    }
}
