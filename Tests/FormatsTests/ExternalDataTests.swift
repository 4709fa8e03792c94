import Formats
import Foundation
import Synchronization
import Tensors
import Testing

struct ExternalDataTests {
    /// A model's folder with `weights.bin` (six numbers, 24 bytes); `secret.bin` lies beside the folder.
    private final class Folder {
        let parent: URL
        var model: URL { parent.appending(path: "model") }

        init() throws {
            parent = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let content = Data(bytes(of: [0, 1, 2, 3, 4, 5]))
            try content.write(to: model.appending(path: "weights.bin"))
            try content.write(to: parent.appending(path: "secret.bin"))
        }

        deinit { try? FileManager.default.removeItem(at: parent) }

        func link(_ name: String, to destination: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: model.appending(path: name).path, withDestinationPath: destination)
        }

        func read(_ entries: KeyValuePairs<String, String>, type: Int64 = 1) throws -> Tensor {
            let model = ModelBytes(
                [node("Add", ["x", "w"], ["y"])], initializers: [externalTensor("w", dimensions: [3], entries)])
            let graph = try ONNXFormat().read(model.data, folder: self.model)
            return try #require(graph.value(named: "w").flatMap { graph.initializers[$0] })
        }

        func expectError(
            _ entries: KeyValuePairs<String, String>, _ message: String, _ kind: FormatError.Kind = .invalid,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let error = #expect(throws: FormatError.self, sourceLocation: sourceLocation) { try read(entries) }
            #expect(
                error?.description == "initializer \"w\": external data: \(message)", sourceLocation: sourceLocation)
            #expect(error?.kind == kind, sourceLocation: sourceLocation)
        }
    }

    @Test("Bytes come from the file beside the model")
    func reads() throws {
        let folder = try Folder()
        #expect(try folder.read(["location": "weights.bin"]).elements(as: Float.self) == [0, 1, 2])
        let second = try folder.read(["location": "./weights.bin", "offset": "12", "length": "12", "checksum": "-"])
        #expect(second.elements(as: Float.self) == [3, 4, 5])
    }

    @Test("A link that stays in the folder may be followed")
    func innerLink() throws {
        let folder = try Folder()
        try folder.link("alias.bin", to: "weights.bin")
        #expect(try folder.read(["location": "alias.bin"]).elements(as: Float.self) == [0, 1, 2])
    }

    @Test("Nothing outside the folder can be reached")
    func outside() throws {
        let folder = try Folder()
        try folder.link("link.bin", to: "../secret.bin")
        try folder.link("up", to: "..")
        folder.expectError(["location": "../secret.bin"], "\"../secret.bin\" leads outside the model's folder")
        folder.expectError(["location": "a/../../x"], "\"a/../../x\" leads outside the model's folder")
        folder.expectError(["location": "/etc/passwd"], "\"/etc/passwd\" leads outside the model's folder")
        folder.expectError(["location": "link.bin"], "\"link.bin\" leads outside the model's folder")
        folder.expectError(["location": "up/secret.bin"], "\"up/secret.bin\" leads outside the model's folder")
        folder.expectError(["location": ""], "names no file")
        folder.expectError(["location": "weights.bin\0"], "names no file")
    }

    @Test("A folder that is exchanged for a link while a file in it is opened leads nowhere else")
    func exchanged() throws {
        let folder = try Folder()
        let (inner, aside) = (folder.model.appending(path: "inner"), folder.model.appending(path: "aside"))
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data("own".utf8).write(to: inner.appending(path: "secret.bin"))
        func exchange() throws {
            try FileManager.default.moveItem(at: inner, to: aside)
            try folder.link("inner", to: "..")
        }
        // If the exchange comes after the folder is opened, the file of the original folder is read.
        let descriptor = try PlaceBeneath.open("inner/secret.bin", in: folder.model.path) { try? exchange() }
        let own = try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd()
        #expect(own == Data("own".utf8))
        // If the exchange comes before, the path leads outside.
        let error = #expect(throws: FormatError.self) {
            try PlaceBeneath.open("inner/secret.bin", in: folder.model.path)
        }
        #expect(error?.description == "\"inner/secret.bin\" leads outside the model's folder")
    }

    @Test("Nothing outside is read while a folder becomes a link and back")
    func exchangedAllTheTime() throws {
        let folder = try Folder()
        let (inner, aside) = (folder.model.appending(path: "inner").path, folder.model.appending(path: "aside").path)
        let link = folder.model.appending(path: "link").path
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        try Data(bytes(of: [9, 9, 9])).write(to: URL(fileURLWithPath: inner + "/secret.bin"))
        try folder.link("link", to: "..")
        let isOver = Mutex(false)
        let exchanges = Thread {
            while !isOver.withLock({ $0 }) {
                rename(inner, aside)
                rename(link, inner)
                rename(inner, link)
                rename(aside, inner)
            }
        }
        exchanges.start()
        defer { isOver.withLock { $0 = true } }
        for _ in 0..<5_000 {
            guard let read = try? folder.read(["location": "inner/secret.bin"]) else { continue }
            #expect(read.elements(as: Float.self) == [9, 9, 9])
        }
    }

    @Test("Files that cannot be read are told apart from models that are wrong")
    func unreadable() throws {
        let folder = try Folder()
        try folder.link("loop", to: "loop")
        #expect(mkfifo(folder.model.appending(path: "pipe").path, 0o600) == 0)
        folder.expectError(
            ["location": "none.bin"], "\"none.bin\" could not be read: No such file or directory", .unreadable)
        folder.expectError(
            ["location": "loop"], "\"loop\" could not be read: Too many levels of symbolic links", .unreadable)
        folder.expectError(["location": "pipe"], "\"pipe\" is not a regular file", .unreadable)
        folder.expectError(["location": "."], "\".\" leads outside the model's folder")
    }

    @Test("Offset and length must fit the file and the shape")
    func ranges() throws {
        let folder = try Folder()
        folder.expectError(
            ["location": "weights.bin", "offset": "16"], "\"weights.bin\" has 24 bytes, too few for 12 from offset 16")
        folder.expectError(
            ["location": "weights.bin", "offset": "\(Int.max)"],
            "\"weights.bin\" has 24 bytes, too few for 12 from offset \(Int.max)")
        folder.expectError(["location": "weights.bin", "length": "8"], "12 bytes are needed, but 8 are given")
        folder.expectError(["location": "weights.bin", "offset": "-1"], "offset \"-1\" is not a number of bytes")
        folder.expectError(["location": "weights.bin", "length": "1e9"], "length \"1e9\" is not a number of bytes")
    }
}
