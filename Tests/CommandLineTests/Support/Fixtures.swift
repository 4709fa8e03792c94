import Foundation

/// Files of `Tests/Fixtures`.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Fixtures").standardizedFileURL

    /// The committed network, relative to ``folder``.
    static let model = "models/squeezenet1_1.onnx"

    /// The photos' names, in order.
    static let photos = ["astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg"]

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

    /// The five best classes of each photo, by the photo's name, according to ONNX Runtime and Pillow.
    static func references() throws -> [String: [Row.Prediction]] {
        let json = try JSONSerialization.jsonObject(with: data("reference_top5.json"))
        let photos = json as? [String: [String: Any]] ?? [:]
        return photos.mapValues { networks in
            let entries = networks["squeezenet1_1"] as? [[Any]] ?? []
            return entries.compactMap { entry in
                guard let index = entry[0] as? Int, let label = entry[1] as? String,
                    let confidence = entry[2] as? Double
                else { return nil }
                return Row.Prediction(index: index, label: label, confidence: confidence)
            }
        }
    }
}

/// A row of `apus predict` as JSON Lines.
struct Row: Decodable {
    struct Prediction: Decodable {
        let index: Int
        let label: String?
        let confidence: Double?
    }

    struct Failure: Decodable {
        let stage: String
        let code: String
        let message: String
    }

    let id: String
    let time: Double?
    let predictions: [Prediction]?
    let error: Failure?
    let warning: String?

    /// Reads rows strictly: every line is an object with exactly the promised keys; frames of a video also have their
    /// time, and damaged files a warning.
    static func all(_ lines: some Sequence<Substring>) throws -> [Row] {
        try lines.map { line in
            let data = Data(line.utf8)
            let keys = (try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]).keys
            guard Set(keys).subtracting(["time", "warning"]) == ["id", "predictions", "error"] else {
                throw Mismatch(String(line))
            }
            return try JSONDecoder().decode(Row.self, from: data)
        }
    }

    struct Mismatch: Error {
        let line: String
        init(_ line: String) { self.line = line }
    }
}
