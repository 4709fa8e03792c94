import Apus
import Foundation
import TestSupport
import Testing

/// A model of `make_coreml_feature_fixtures.py`, with scikit-learn's results for some rows.
struct CoreMLFeatureCase: Sendable, CustomTestStringConvertible {
    let name: String
    let rows: [Row]

    var testDescription: String { name }
    var path: String { CoreMLLayerCase.folder.appending(path: "features/\(name).mlmodel").path }

    struct Row: Decodable, Sendable {
        let inputs: [String: Value]
        let outputs: [String: Value]
    }

    /// A JSON value.
    enum Value: Decodable, Sendable {
        case text(String), number(Double), numbers([Double]), dictionary(keys: [Value], numbers: [Double])

        private enum Keys: CodingKey { case keys, numbers }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Keys.self) {
                self = .dictionary(
                    keys: try container.decode([Value].self, forKey: .keys),
                    numbers: try container.decode([Double].self, forKey: .numbers))
                return
            }
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .numbers(try container.decode([Double?].self).map { $0 ?? .nan })
            }
        }

        var feature: FeatureValue {
            get throws {
                switch self {
                case .text(let text): .string(text)
                case .number(let number): .double(number)
                case .numbers(let numbers): try .array(numbers)
                case .dictionary(let keys, let numbers):
                    .dictionary(Dictionary(uniqueKeysWithValues: zip(keys.map(\.key), numbers)))
                }
            }
        }

        var key: FeatureKey {
            switch self {
            case .number(let number): .int(Int64(number))
            case .text(let text): .string(text)
            default: .string("")
            }
        }
    }

    static func all() throws -> [CoreMLFeatureCase] {
        let content = try Data(contentsOf: CoreMLLayerCase.folder.appending(path: "features.json"))
        return try JSONDecoder().decode([String: [Row]].self, from: content)
            .map { CoreMLFeatureCase(name: $0, rows: $1) }.sorted { $0.name < $1.name }
    }
}

@Suite("Classical models of Core ML")
struct CoreMLFeatureTests {
    @Test("Labels and numbers are those of scikit-learn", arguments: try CoreMLFeatureCase.all())
    func agrees(_ model: CoreMLFeatureCase) async throws {
        let session = try await FeatureSession(FeatureModel(contentsOf: model.path))
        #expect(!model.rows.isEmpty)
        for row in model.rows {
            let found = try await session.predict(try row.inputs.mapValues { try $0.feature })
            for (name, expected) in row.outputs { try check(try #require(found[name]), expected, name) }
        }
    }

    private func check(_ found: FeatureValue, _ expected: CoreMLFeatureCase.Value, _ name: String) throws {
        switch expected {
        case .text(let text): #expect(found.key == .string(text), "\(name)")
        case .number(let number):
            if let key = found.key {
                #expect(key == .int(Int64(number)), "\(name)")
            } else {
                #expect(abs((found.numbers?.first ?? .nan) - number) <= 1e-6 * max(1, abs(number)), "\(name)")
            }
        case .numbers(let numbers):
            let pairs = zip(try #require(found.numbers), numbers)
            #expect(found.numbers?.count == numbers.count)
            #expect(pairs.allSatisfy { abs($0 - $1) <= 1e-6 * max(1, abs($1)) }, "\(name): \(found)")
        case .dictionary(let keys, let numbers):
            guard case .dictionary(let dictionary) = found else {
                Issue.record("\(name) is \(found.kind)")
                return
            }
            for (key, number) in zip(keys, numbers) {
                #expect(abs((dictionary[key.key] ?? .nan) - number) <= 1e-6, "\(name)[\(key.key)]")
            }
        }
    }

    @Test("Of boxes that overlap the best stays, class by class")
    func boxes() async throws {
        let path = CoreMLLayerCase.folder.appending(path: "features/boxes.mlmodel").path
        let session = try await FeatureSession(FeatureModel(contentsOf: path))
        let outputs = try await session.predict([
            "confidence": .tensor(try Tensor([0.9, 0.1, 0.8, 0.2, 0.1, 0.7, 0.2, 0.1], shape: [4, 2])),
            "coordinates": .tensor(
                try Tensor(
                    [0.5, 0.5, 0.4, 0.4, 0.52, 0.5, 0.4, 0.4, 0.51, 0.5, 0.4, 0.4, 0.1, 0.1, 0.1, 0.1], shape: [4, 4])),
        ])
        #expect(outputs["keptConfidence"]?.numbers == [0.9, 0.1, 0.1, 0.7])
        #expect(outputs["keptCoordinates"]?.numbers == [0.5, 0.5, 0.4, 0.4, 0.51, 0.5, 0.4, 0.4])
    }

    @Test("Features that do not fit are named")
    func refuses() async throws {
        let path = CoreMLLayerCase.folder.appending(path: "features/one_hot.mlmodel").path
        let session = try await FeatureSession(FeatureModel(contentsOf: path))
        await #expect(throws: ApusError.self) { try await session.predict([:]) }
        await #expect(throws: ApusError.self) { try await session.predict(["x": "east", "z": 1]) }
        await #expect(throws: ApusError.self) { try await session.predict(["x": 1.5]) }
    }
}
