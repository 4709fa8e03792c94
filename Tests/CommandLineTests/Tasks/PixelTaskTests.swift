import Apus
import Foundation
import TestSupport
import Testing

/// Files of `apus predict --task depth` and `--task image`.
@Suite("apus predict: depth and made pictures")
struct PixelTaskTests {
    /// A task with a network, and the option that names its folder.
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let option: String
        /// The keys of rows that name files.
        let keys: [String]
        var testDescription: String { option }

        static let all = [
            Case(
                arguments: ["predict", Fixtures.path("tasks/depth.onnx"), "--scale", "1/255", "--quiet"],
                option: "--depth", keys: ["npy", "png"]),
            Case(
                arguments: ["predict", Fixtures.path("tasks/super_fixed.onnx"), "--scale", "1/255", "--quiet"],
                option: "--images", keys: ["file"]),
        ]
    }

    private let photos = Fixtures.photos.map { "photos/" + $0 }

    private func rows(_ path: String) throws -> [[String: Any]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    @Test("Rows name files, which have the size of their pictures, and what fails has none", arguments: Case.all)
    func files(_ task: Case) async throws {
        try await withTemporaryFolder { folder in
            let (files, output) = (folder.appending(path: "files").path, folder.appending(path: "a.jsonl").path)
            let inputs = [photos[2], "images/bad/zeros.png", photos[3]]
            let outcome = try await Command.run(task.arguments + inputs + [task.option, files, "-o", output])
            #expect(outcome.status == 1, "\(outcome.errors)")
            let rows = try rows(output)
            #expect(rows.count == 3 && rows[1]["error"] is [String: Any])
            for row in [rows[0], rows[2]] {
                for key in task.keys {
                    let name = try #require(row[key] as? String)
                    #expect(FileManager.default.fileExists(atPath: files + "/" + name))
                }
            }
            for key in task.keys { #expect(rows[1][key] == nil) }
            if task.option == "--depth" {
                let name = try #require(rows[0]["npy"] as? String)
                let map = try Tensor(contentsOfNumPyFile: files + "/" + name)
                #expect(map.shape == [400, 600] && map.elementType == .float32)
                let depth = try #require(rows[0]["depth"] as? [String: Any])
                let least = map.elements(as: Float.self).min() ?? 0
                #expect(abs((depth["minimum"] as? Double ?? .nan) - Double(least)) < 1e-6)
            } else {
                let name = try #require(rows[2]["file"] as? String)
                let made = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: files + "/" + name)))
                #expect(made.size == ImageSize(width: 1280, height: 854))
            }
        }
    }

    @Test("A run that stopped goes on, to the same rows and files", arguments: Case.all)
    func resuming(_ task: Case) async throws {
        try await withTemporaryFolder { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let inputs = [photos[0], "images/bad/zeros.png"] + photos.dropFirst()
            let whole = task.arguments + inputs + [task.option, path("whole"), "-o", path("whole.jsonl")]
            #expect(try await Command.run(whole).status == 1)
            let part = task.arguments + inputs + [task.option, path("part"), "-o", path("part.jsonl")]
            #expect(try await Command.run(part + ["--on-error", "stop"]).status == 7)
            #expect(try await Command.run(part + ["--resume"]).status == 1)
            let files = try ["whole.jsonl", "part.jsonl"].map { try Data(contentsOf: URL(fileURLWithPath: path($0))) }
            #expect(files[0] == files[1])
            #expect(try FolderContent(path("whole")) == FolderContent(path("part")))
            let again = try await Command.run(whole)
            #expect(again.status == 1, "\(again.errors)")
        }
    }

    @Test("Files replace those of the same picture, and nothing else", arguments: Case.all)
    func replacing(_ task: Case) async throws {
        try await withTemporaryFolder { folder in
            let command = task.arguments + [photos[2], task.option, folder.path]
            #expect(try await Command.run(command).status == 0)
            let name = try #require(FolderContent(folder.path).files.keys.sorted().first)
            #expect(try await Command.run(command).status == 0)
            try Data("a stranger's".utf8).write(to: folder.appending(path: name))
            let refused = try await Command.run(command)
            #expect(refused.status == 2 && refused.errors.contains(task.option), "\(refused.errors)")
        }
    }

    @Test(
        "Options of other tasks are refused, and arguments that make no sense",
        arguments: [
            ["tasks/depth.onnx", "--task", "image", "--depth", "x"],
            ["tasks/super_open.onnx", "--task", "depth", "--tile", "9"],
            ["tasks/depth.onnx", "--depth-range", "3"], ["tasks/depth.onnx", "--depth-range", "3,1"],
            ["tasks/super_fixed.onnx", "--tile", "64"], ["tasks/super_fixed.onnx", "--overlap", "16"],
            ["tasks/super_open.onnx", "--tile", "0"], ["tasks/super_open.onnx", "--image-range", "some"],
            ["tasks/super_open.onnx", "--image-format", "tiff"],
        ])
    func refused(_ arguments: [String]) async throws {
        let outcome = try await Command.run(["predict"] + arguments + [photos[2]])
        #expect(outcome.status == 2 || outcome.status == 64, "\(outcome.status) \(outcome.errors)")
    }

    @Test("Tables and CSV have the figures, and a picture may be a JPEG file")
    func forms() async throws {
        try await withTemporaryFolder { folder in
            let depth = Case.all[0].arguments
            let csv = try await Command.run(depth + [photos[2], "--format", "csv", "--depth-range", "0,2"])
            #expect(
                csv.output.hasPrefix(
                    "id,error,width,height,minimum,maximum,median,range_minimum,range_maximum,npy,png,")
            )
            #expect(csv.output.contains(",600,400,") && csv.output.contains(",0.0,2.0,,"))
            let table = try await Command.run(depth + [photos[2], "--format", "table"])
            #expect(table.output.contains("median"))
            let drawn = folder.appending(path: "drawn").path
            #expect(try await Command.run(depth + [photos[2], "--draw", drawn]).status == 0)
            #expect(try FolderContent(drawn).files.count == 1)
            let made = folder.appending(path: "made").path
            let image = try await Command.run(
                Case.all[1].arguments + [photos[2], "--images", made, "--image-format", "jpeg", "--format", "csv"])
            #expect(image.output.contains(",,1200,800,3,photos/coffee.png.jpg"))
            let content = try #require(FolderContent(made).files.values.first)
            #expect(try Image(decoding: content).size == ImageSize(width: 1200, height: 800))
            let twice = try await Command.run(
                Case.all[1].arguments + [photos[2], "--images", made, "--image-format", "jpeg"])
            #expect(twice.status == 0, "\(twice.errors)")
        }
    }
}

/// The files of a folder and its subfolders, with their contents.
struct FolderContent: Equatable {
    let files: [String: Data]

    init(_ path: String) throws {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder), !isFolder.boolValue
            else { continue }
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        self.files = files
    }
}
