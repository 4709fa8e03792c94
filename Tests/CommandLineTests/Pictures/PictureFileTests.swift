import Foundation
import TestSupport
import Testing

@Suite struct PictureFileTests {
    /// Runs `predict` with a small network on a folder `in` of files of `Tests/Fixtures`.
    private func predict(_ files: [String], _ options: String...) async throws -> Command.Outcome {
        try await withTemporaryFolder { folder in
            _ = try Pictures(in: folder, count: 0)
            let place = folder.appendingPathComponent("in")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for file in files {
                let name = String(file.split(separator: "/").last ?? "")
                try Fixtures.data(file).write(to: place.appendingPathComponent(name))
            }
            return try await Command.run(["predict", "small.onnx", "in", "--scale", "1/255"] + options, in: folder)
        }
    }

    @Test func foldersTakeThemAndPagesAreRecords() async throws {
        let files = [
            "parts.gif", "color.ppm", "rgb.bmp", "lossy.webp", "pages.tif", "rgb.jp2", "color.heic", "color.avif",
        ]
        let outcome = try await predict(files.map { "pictures/\($0)" })
        let rows = try Row.all(outcome.lines)
        #expect(
            rows.map(\.id) == [
                "in/color.avif", "in/color.heic", "in/color.ppm", "in/lossy.webp", "in/pages.tif#1", "in/pages.tif#2",
                "in/pages.tif#3", "in/parts.gif", "in/rgb.bmp", "in/rgb.jp2",
            ])
        for row in rows {
            if row.error?.code == "missing-library" {
                print("skipped: \(row.id): \(row.error?.message ?? "")")
            } else {
                #expect(row.error == nil, "\(row.id): \(row.error?.message ?? "")")
            }
        }
        #expect(outcome.errors.contains("in/parts.gif: has several frames or pages; the first is taken"))
        #expect(!outcome.errors.contains("pages.tif"))
    }

    @Test func everyFrameIsARecordWhenAsked() async throws {
        let rows = try Row.all(try await predict(["pictures/parts.gif", "pictures/rgb.bmp"], "--every-frame").lines)
        #expect(rows.map(\.id) == (1...5).map { "in/parts.gif#\($0)" } + ["in/rgb.bmp"])
        #expect(rows.allSatisfy { $0.error == nil && $0.warning == nil })
        // Frames differ, and so do their answers.
        #expect(Set(rows.prefix(5).map { $0.predictions?.first?.confidence }).count == 5)
    }

    @Test func inspectTellsWhatAPictureIsAndWhatIsDoneWithIt() async throws {
        struct Report: Decodable {
            struct Profile: Decodable {
                let name: String?
                let colorSpace: String
            }

            let format: String
            let width: Int
            let height: Int
            let orientation: Int
            let frames: Int
            let colorProfile: Profile?
            let steps: [String]
            let warning: String?
        }
        func inspect(_ file: String) async throws -> Report {
            let outcome = try await Command.run("inspect", file, "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        }
        let profiled = try await inspect("pictures/profile.png")
        #expect(profiled.format == "PNG")
        #expect(profiled.colorProfile?.name == "Wide color")
        #expect(profiled.colorProfile?.colorSpace == "RGB")
        let turned = try await inspect("images/orientation-6.jpg")
        #expect((turned.width, turned.height, turned.orientation) == (40, 28, 6))
        #expect(turned.steps.contains("turned upright, to 28x40 pixels"))
        #expect(try await inspect("pictures/parts.gif").frames == 5)
        #expect(try await inspect("images/damaged/no-end-baseline.jpg").warning == "the end marker is missing")
        #expect(try await Command.run("inspect", "images/bad/late-header.png").status == 5)
    }

    @Test func colorProfilesAreAppliedWhenAsked() async throws {
        let files = ["photos/rocket.jpg"]
        let ignored = try Row.all(try await predict(files).lines)
        let outcome = try await predict(files, "--color-profile", "srgb")
        let applied = try Row.all(outcome.lines)
        if applied.first?.error?.code == "missing-library" { return print("skipped: \(outcome.lines.first ?? "")") }
        #expect(applied.first?.predictions?.first?.confidence != nil)
        #expect(applied.first?.predictions?.first?.confidence != ignored.first?.predictions?.first?.confidence)
    }

    @Test func damagedFilesWithAllTheirPixelsHaveAWarning() async throws {
        let files = [
            "images/damaged/no-end-baseline.jpg", "images/damaged/much-padding-progressive.jpg", "images/grey.jpg",
        ]
        let outcome = try await predict(files)
        let rows = try Row.all(outcome.lines)
        #expect(outcome.status == 0)
        #expect(rows.map(\.warning) == [nil, "extraneous bytes before the end marker", "the end marker is missing"])
        #expect(outcome.errors.contains("in/no-end-baseline.jpg: the end marker is missing"))
        let refused = try await predict(files, "--damaged", "refuse")
        #expect(refused.status == 1)
        #expect(try Row.all(refused.lines).map { $0.error?.code } == [nil, "corrupt", "truncated"])
    }

    @Test(
        "Warnings are in every form, also where a run goes on and shards are joined",
        arguments: ["csv", "sqlite", "npy"])
    func warningsOfOtherForms(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            _ = try Pictures(in: folder, count: 0)
            let pictures = [
                "images/damaged/no-end-baseline.jpg", "images/bad/zeros.png", "images/grey.jpg",
                "images/damaged/much-padding-progressive.jpg",
            ].map { Fixtures.path($0) }
            func run(_ name: String, _ options: String...) async throws {
                let common = ["predict", "small.onnx", "--scale", "1/255", "--quiet", "--batch", "1"] + pictures
                let outcome = try await Command.run(common + ["-o", "\(name).\(format)"] + options, in: folder)
                #expect([0, 1, 7].contains(outcome.status), "\(outcome.errors)")
            }
            func content(_ name: String) throws -> [Data] {
                let path = folder.appendingPathComponent("\(name).\(format)").path
                switch format {
                case "sqlite":
                    let query =
                        "SELECT id, name, error_code, warning FROM records ORDER BY id; SELECT * FROM predictions"
                    return [try SQLiteText.answer(query, path)]
                case "npy": return try [path + ".records.jsonl", path].map { try Data(contentsOf: URL(filePath: $0)) }
                default: return [try Data(contentsOf: URL(filePath: path))]
                }
            }
            try await run("whole")
            let whole = try content("whole")
            let text = String(decoding: whole[0], as: UTF8.self)
            let warnings = ["the end marker is missing", "extraneous bytes before the end marker"]
            for warning in warnings { #expect(text.components(separatedBy: warning).count == 2, "\(text)") }
            if format == "csv" {
                let rows = try StrictCSV.rows(text)
                #expect(rows[0].last == "warning" && rows.map(\.count) == [Int](repeating: rows[0].count, count: 5))
                #expect(rows.dropFirst().map(\.last) == [warnings[0], "", "", warnings[1]])
            }
            try await run("part", "--on-error", "stop")
            try await run("part", "--resume")
            #expect(try content("part") == whole)
            for shard in 1...2 { try await run("\(shard)", "--shard", "\(shard)/2") }
            let names = ["1.\(format)", "2.\(format)"]
            let merged = try await Command.run(["merge"] + names + ["-o", "all.\(format)", "--ordered"], in: folder)
            #expect(merged.status == 0, "\(merged.errors)")
            #expect(try content("all") == whole)
            let verified = try await Command.run(["merge", "--verify", "all.\(format)"] + names, in: folder)
            #expect(verified.status == 0, "\(verified.errors)")
        }
    }
}
