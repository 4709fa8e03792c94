import Apus
import Foundation
import TestSupport
import Testing

/// FFmpeg's program, which not every machine has.
enum VideoProgram {
    static let isThere = (try? run(["ffmpeg", "-version"])) != nil

    private struct Failure: Error {}

    /// The standard output of a program that is found in the path.
    static func run(_ words: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return data
    }
}

/// Videos as inputs, which FFmpeg's program decodes.
@Suite(.enabled(if: VideoProgram.isThere, "the program ffmpeg is not installed"))
struct VideoTests {
    /// Writes three seconds of a moving picture of 64 × 48, 10 frames a second.
    private func write(_ file: URL) throws {
        _ = try VideoProgram.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=3", "-c:v", "mpeg4",
            "-movflags", "faststart", "-y", "file:\(file.path)",
        ])
    }

    private let common = ["predict", Fixtures.path(Fixtures.model), "--top", "1", "--format", "jsonl", "--quiet"]

    /// The ids and the codes of errors.
    private func rows(_ text: String) throws -> [(id: String, code: String?)] {
        try text.split(separator: "\n").map { line in
            let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return (try #require(row["id"] as? String), (row["error"] as? [String: Any])?["code"] as? String)
        }
    }

    @Test("Frames with more pixels than pictures may have are an error of the video")
    func largeFrames() async throws {
        try await withTemporaryFolder { folder in
            try write(folder.appending(path: "v.mp4"))
            for (pixels, codes) in [("3071", ["too-large"]), ("3072", [nil, nil, nil])] as [(String, [String?])] {
                let outcome = try await Command.run(
                    common + ["v.mp4", "--fps", "1", "--maximum-pixels", pixels], in: folder)
                #expect(try rows(outcome.output).map(\.code) == codes, "\(outcome.output)\(outcome.errors)")
            }
        }
    }

    @Test("Frames have FFmpeg's pixels, and times")
    func frames() async throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "v.mp4")
            try write(file)
            let raw = try VideoProgram.run([
                "ffmpeg", "-v", "error", "-i", file.path, "-vf", "fps=2", "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
            ])
            let listing = try Apus.VideoDataset.video(file.path, rate: FrameFormat.Rate(frames: 2)).records()
            var count = 0
            while let record = try listing.next() {
                guard case .deferred(let fetch) = record.source, case .image(let image) = try fetch() else {
                    Issue.record("frame \(count) is no picture")
                    return
                }
                #expect(image.size == ImageSize(width: 64, height: 48))
                #expect(Data(image.pixels) == raw.dropFirst(count * 64 * 48 * 3).prefix(64 * 48 * 3))
                #expect(record.timestamp == .seconds(Double(count) / 2))
                #expect(record.id == file.path + "#t=\(count / 2).\(count % 2 * 5)00")
                count += 1
            }
            #expect(count == 6 && raw.count == 6 * 64 * 48 * 3)
        }
    }

    @Test("Without a rate all frames of an even video are taken, and a turned one is upright")
    func turned() async throws {
        try withTemporaryFolder { folder in
            let (file, turned) = (folder.appending(path: "v.mp4"), folder.appending(path: "turned.mp4"))
            try write(file)
            _ = try VideoProgram.run([
                "ffmpeg", "-v", "error", "-i", file.path, "-c", "copy", "-metadata:s:v", "rotate=90", turned.path,
            ])
            let all = try Apus.VideoDataset.video(file.path).records()
            #expect(try all.next(100).count == 30)
            let first = try Apus.VideoDataset.video(turned.path).records().next()
            guard case .deferred(let fetch)? = first?.source, case .image(let image) = try fetch() else {
                Issue.record("no picture")
                return
            }
            let isKept =
                try VideoProgram.run([
                    "ffprobe", "-v", "error", "-show_streams", turned.path,
                ]).range(of: Data("rotation".utf8)) != nil
            #expect(image.size == (isKept ? ImageSize(width: 48, height: 64) : ImageSize(width: 64, height: 48)))
        }
    }

    @Test("Names are never options or protocols", arguments: ["-v.mp4", "http:x.mp4", "concat:a|b.mp4", "%03d.mp4"])
    func names(_ name: String) async throws {
        try await withTemporaryFolder { folder in
            try write(folder.appending(path: name))
            let outcome = try await Command.run(common + ["--fps", "1", "--", name], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try rows(outcome.output).map(\.id) == (0..<3).map { "\(name)#t=\($0).000" })
        }
    }

    @Test("Lists of other files are not followed, and what is no video is an error")
    func lists() async throws {
        try await withTemporaryFolder { folder in
            try write(folder.appending(path: "v.mp4"))
            let lists = [
                "a.mp4": "ffconcat version 1.0\nfile v.mp4\n", "b.mp4": "#EXTM3U\n#EXTINF:1,\nv.mp4\n",
                "c.mp4": "nothing",
                "d.mp4": "",
            ]
            for (name, text) in lists { try Data(text.utf8).write(to: folder.appending(path: name)) }
            let outcome = try await Command.run(common + lists.keys.sorted(), in: folder)
            let rows = try rows(outcome.output)
            #expect(outcome.status == 1 && rows.map(\.id) == ["a.mp4", "b.mp4", "c.mp4", "d.mp4"])
            #expect(rows.allSatisfy { $0.code == "video" })
        }
    }

    @Test("A video that is cut off gives its frames, then an error")
    func cut() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "v.mp4")
            try write(file)
            let content = try Data(contentsOf: file)
            try content.prefix(content.count * 7 / 10).write(to: file)
            let outcome = try await Command.run(common + ["v.mp4", "--fps", "10"], in: folder)
            let rows = try rows(outcome.output)
            #expect(outcome.status == 1 && rows.count > 3 && rows.last?.id == "v.mp4" && rows.last?.code == "video")
            #expect(rows.dropLast().allSatisfy { $0.code == nil })
            let again = try await Command.run(common + ["v.mp4", "--fps", "10"], in: folder)
            #expect(again.output == outcome.output)
        }
    }

    @Test("A run that stopped goes on")
    func resuming() async throws {
        try await withTemporaryFolder { folder in
            for name in ["a.mp4", "c.mp4"] { try write(folder.appending(path: name)) }
            try Data("nothing".utf8).write(to: folder.appending(path: "b.mp4"))
            let arguments = common + ["a.mp4", "b.mp4", "c.mp4", "--fps", "5", "--batch", "4"]
            #expect(try await Command.run(arguments + ["-o", "whole.jsonl"], in: folder).status == 1)
            #expect(
                try await Command.run(arguments + ["-o", "part.jsonl", "--on-error", "stop"], in: folder).status == 7)
            let before = try Data(contentsOf: folder.appending(path: "part.jsonl"))
            #expect(try await Command.run(arguments + ["-o", "part.jsonl", "--resume"], in: folder).status == 1)
            let (whole, part) = (
                try Data(contentsOf: folder.appending(path: "whole.jsonl")),
                try Data(contentsOf: folder.appending(path: "part.jsonl"))
            )
            #expect(whole == part && before.count < part.count)
        }
    }

    @Test("Where the program is missing, the row names the package")
    func missing() async throws {
        try await withTemporaryFolder { folder in
            try write(folder.appending(path: "v.mp4"))
            let outcome = try await Command.run(
                common + ["v.mp4", Fixtures.path("photos/coffee.png")], in: folder, environment: ["PATH": folder.path])
            #expect(outcome.status == 1 && outcome.output.contains("the Debian package ffmpeg has it"))
            #expect(try rows(outcome.output).map(\.code) == ["program", nil])
        }
    }

    @Test("A rate without a video is refused")
    func refused() async throws {
        let outcome = try await Command.run(common + [Fixtures.path("photos/coffee.png"), "--fps", "2"])
        #expect(outcome.status == 2 && outcome.errors.contains("--fps is about videos"))
    }
}
