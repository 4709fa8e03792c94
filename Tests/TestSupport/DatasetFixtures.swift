import Apus
import Foundation

/// Files of `Tests/Fixtures/datasets`, and the pictures that `make_dataset_fixtures.py` put into them.
package enum DatasetFixtures {
    package struct Pictures: Decodable {
        package let shape: [Int]
        package let labels: [Int]
        package let pixels: [[UInt8]]
    }

    package static func path(_ name: String) -> String {
        TestedNetworks.fixtures.appending(path: "datasets/\(name)").path
    }

    package static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    package static func pictures() throws -> Pictures {
        try JSONDecoder().decode(Pictures.self, from: data("pictures.json"))
    }
}

extension Dataset {
    /// Every record.
    package func all() throws -> [ImageRecord] {
        let listing = try records()
        var result: [ImageRecord] = []
        while let record = try listing.next() { result.append(record) }
        return result
    }
}

extension ImageRecord {
    /// The pixels of the picture.
    package var pixels: [UInt8] { get throws { try source.image(Image.DecodingOptions()).pixels } }

    /// The code of the error in place of the picture; nil when there is a picture or an array.
    package var errorCode: String? {
        do {
            if case .array = try source.resolved() { return nil }
            _ = try pixels
            return nil
        } catch let error as RecordError {
            return error.code
        } catch let error as ImageError {
            return error.code
        } catch {
            return "\(error)"
        }
    }
}

extension URL {
    /// Writes a file inside this folder, and makes missing folders.
    @discardableResult
    package func write(_ name: String, _ content: Data = Data()) throws -> String {
        let file = appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
        return file.path
    }

    /// Writes a text file inside this folder.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }
}
