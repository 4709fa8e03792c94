import Foundation
import TestSupport
import Testing

@Suite struct EvaluateTests {
    /// Makes class folders of the photos; except for the astronaut, labels are those that the network gives.
    private static func withClassFolders<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        try await withTemporaryFolder { folder in
            for (name, label) in [
                ("coffee.png", "espresso"), ("chelsea.png", "Egyptian_Mau"), ("rocket.jpg", "733"),
                ("astronaut.png", "Pole"),
            ] {
                let place = folder.appendingPathComponent(label)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                try Fixtures.data("photos/\(name)").write(to: place.appendingPathComponent(name))
            }
            return try await body(folder)
        }
    }

    @Test func classFoldersAreLabels() async throws {
        try await Self.withClassFolders { folder in
            let outcome = try await Command.run("evaluate", Fixtures.model, folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("top-1              75.00 %  3 of 4"))
            #expect(outcome.output.contains("barbell"))
        }
    }

    @Test func figuresAreJSON() async throws {
        try await Self.withClassFolders { folder in
            try Data("no picture".utf8).write(to: folder.appendingPathComponent("espresso/bad.png"))
            try Fixtures.data("photos/coffee.png").write(to: folder.appendingPathComponent("unlabelled.png"))
            let outcome = try await Command.run("evaluate", Fixtures.model, folder.path, "--json", "--bins", "5")
            #expect(outcome.status == 1)
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect(json?["pictures"] as? Int == 4)
            #expect(json?["top1"] as? Double == 0.75)
            #expect(json?["failed"] as? Int == 1)
            #expect(json?["unlabelled"] as? Int == 1)
            #expect(((json?["calibration"] as? [String: Any])?["bins"] as? [Any])?.count == 5)
            let confusions = json?["confusions"] as? [[String: Any]]
            #expect(confusions?.first?["predictedName"] as? String == "barbell")
        }
    }

    @Test func aPageIsWritten() async throws {
        try await Self.withClassFolders { folder in
            let page = folder.appendingPathComponent("report.html")
            let outcome = try await Command.run("evaluate", Fixtures.model, folder.path, "--report", page.path)
            #expect(outcome.status == 0)
            let html = String(decoding: try Data(contentsOf: page), as: UTF8.self)
            #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
            #expect(html.contains("src=\"data:image/jpeg;base64,"))
            #expect(!html.contains("http"))
            #expect(try XMLParsing.isWellFormed(html))
        }
    }

    @Test func objectsAreCompared() async throws {
        try await withTemporaryFolder { folder in
            let files = ["results", "truth"].map { Fixtures.path("evaluation/boxes.\($0).json") }
            let page = folder.appendingPathComponent("report.html")
            let outcome = try await Command.run(
                "evaluate", "--results", files[0], "--annotations", files[1], "--report", page.path, "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            let expected = try JSONSerialization.jsonObject(with: Fixtures.data("evaluation/boxes.figures.json"))
            let figures = (expected as? [String: Any])?["figures"] as? [String: Double]
            for (name, value) in try #require(figures) {
                let found = (json?["figures"] as? [String: Any])?[name] as? Double
                #expect(abs((found ?? -1) - value) < 1e-9, "\(name)")
            }
            let html = String(decoding: try Data(contentsOf: page), as: UTF8.self)
            #expect(html.contains("Precision over recall") && !html.contains("http"))
            #expect(try XMLParsing.isWellFormed(html))
        }
    }

    @Test func aDetectorIsComparedWithMarkedObjects() async throws {
        try await withTemporaryFolder { folder in
            try FixedNetwork.writeDetector(to: folder.appendingPathComponent("fixed.onnx"))
            let truth = """
                {"images":[{"id":1,"file_name":"coffee.png"},{"id":2,"file_name":"absent.png"}],
                 "categories":[{"id":0,"name":"thing"}],
                 "annotations":[{"id":1,"image_id":1,"category_id":0,"bbox":[200,150,200,100],"area":20000,"iscrowd":0}]}
                """
            try Data(truth.utf8).write(to: folder.appendingPathComponent("truth.json"))
            let photos = ["photos/coffee.png", "photos/rocket.jpg"].map { Fixtures.path($0) }
            let outcome = try await Command.run(
                ["evaluate", "fixed.onnx"] + photos + ["--annotations", "truth.json", "--json"], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect(json?["pictures"] as? Int == 1 && json?["unmarked"] as? Int == 1 && json?["absent"] as? Int == 1)
            #expect(json?["objects"] as? Int == 1 && json?["unknownClasses"] as? Int == 1)
            let precision = (json?["figures"] as? [String: Any])?["AP"] as? Double
            #expect(abs((precision ?? 0) - 1) < 1e-9)
        }
    }

    @Test func classesOfPixelsAreComparedWithMasks() async throws {
        try await withTemporaryFolder { folder in
            let network = [
                Fixtures.path(Fixtures.model), Fixtures.path("photos/coffee.png"), Fixtures.path("photos/rocket.jpg"),
                "--output-name", "fire9/squeeze1x1", "--labels", Fixtures.path("segmentation/channels.txt"), "--resize",
                "fill",
            ]
            // Masks that the network itself wrote agree wholly, but for those that are changed.
            let predicted = try await Command.run(
                ["predict"] + network + ["--task", "segment", "--masks", "masks", "-o", "a.jsonl", "--quiet"],
                in: folder)
            #expect(predicted.status == 0, "\(predicted.errors)")
            let arguments = ["evaluate"] + network + ["--truth", "masks", "--json"]
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect(json?["meanIoU"] as? Double == 1 && json?["pixelAccuracy"] as? Double == 1)
            #expect(json?["pictures"] as? Int == 2)
            let shown = try await Command.run(arguments + ["--report", "report.html", "--quiet"], in: folder)
            #expect(shown.status == 0, "\(shown.errors)")
            try Self.checkPage(folder, "Mean intersection over union 100.00\u{A0}%")
            let masks = try FileManager.default.subpathsOfDirectory(atPath: folder.appendingPathComponent("masks").path)
            let mask = try #require(masks.first { $0.hasSuffix("coffee.png") })
            let place = folder.appendingPathComponent("masks/\(mask)")
            try Fixtures.data("photos/coffee.png").write(to: place)
            let colors = try await Command.run(arguments, in: folder)
            #expect(colors.status == 5 && colors.errors.contains("pixels are colors, not numbers"), "\(colors.errors)")
            try Fixtures.data("images/grey-8.png").write(to: place)
            let other = try await Command.run(arguments, in: folder)
            #expect(other.status == 5 && other.errors.contains("but its picture 600x400"), "\(other.errors)")
            try FileManager.default.removeItem(at: folder.appendingPathComponent("masks"))
            let none = try await Command.run(arguments, in: folder)
            #expect(none.status == 2 && none.errors.contains("has no mask of any picture"))
        }
    }

    /// Checks the page `report.html` of a folder.
    private static func checkPage(_ folder: URL, _ statement: String) throws {
        let html = String(
            decoding: try Data(contentsOf: folder.appendingPathComponent("report.html")), as: UTF8.self)
        #expect(html.contains(statement) && !html.contains("http"))
        #expect(try XMLParsing.isWellFormed(html))
    }

    @Test func labelledPicturesFindTheirLikes() async throws {
        try await Self.withClassFolders { folder in
            try Fixtures.data("photos/coffee.png").write(to: folder.appendingPathComponent("espresso/again.png"))
            let outcome = try await Command.run(
                "evaluate", Fixtures.path(Fixtures.model), folder.path, "--task", "embed", "--output-name", "fire9",
                "--json", "--report", folder.appendingPathComponent("report.html").path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try Self.checkPage(folder, "For 100.00\u{A0}% of the pictures, the nearest one has their label.")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect(json?["questions"] as? Int == 2 && json?["single"] as? Int == 3)
            #expect((json?["recalls"] as? [String: Double])?["1"] == 1)
        }
    }

    @Test func manifestsAndPatternsGiveLabels() async throws {
        try await withTemporaryFolder { folder in
            let list = folder.appendingPathComponent("list.csv")
            let text =
                "path,label\n\(Fixtures.path("photos/coffee.png")),967\n\(Fixtures.path("photos/rocket.jpg")),1\n"
            try Data(text.utf8).write(to: list)
            let outcome = try await Command.run("evaluate", Fixtures.model, list.path, "--json")
            #expect(outcome.output.contains("\"top1\" : 0.5"), "\(outcome.errors)")
            let pattern = try await Command.run(
                "evaluate", Fixtures.model, "photos/coffee.png", "--label-pattern", "([a-z]+)[.]png",
                "--labels", try Self.labels(in: folder), "--json")
            #expect(pattern.output.contains("\"top1\" : 1"), "\(pattern.errors)")
        }
    }

    /// Labels with `coffee` in place of espresso.
    private static func labels(in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("labels.txt")
        let names = (0..<1000).map { $0 == 967 ? "coffee" : "other \($0)" }
        try Data(names.joined(separator: "\n").utf8).write(to: file)
        return file.path
    }

    @Test(
        arguments: [
            (["photos"], 2, "no record has a label"),
            (["photos", "--label-pattern", "photos/([a-z]+)"], 2, "label \"astronaut\" is neither the name"),
            (["photos", "--label-pattern", "["], 2, "is not a regular expression"),
            (["photos", "--label-pattern", "a"], 2, "one group"),
            (["missing.csv"], 5, "no such file"),
            (["photos/coffee.png", "--report", "photos/coffee.png"], 2, "is one of the inputs"),
            (["photos", "--bins", "0"], 2, "--bins must be at least 1"),
        ])
    func wrongLabelsAreOneLine(arguments: [String], status: Int32, message: String) async throws {
        let outcome = try await Command.run(["evaluate", Fixtures.model] + arguments)
        #expect(outcome.status == status)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }
}

/// Checks that every element of a page is closed, as in XML, except HTML's void elements.
enum XMLParsing {
    static func isWellFormed(_ html: String) throws -> Bool {
        var open: [Substring] = []
        for tag in html.matches(of: /<(\/?)([a-zA-Z0-9!]+)[^>]*?(\/?)>/) {
            let name = tag.2
            if ["!DOCTYPE", "meta", "img", "br"].contains(name) || !tag.3.isEmpty { continue }
            if tag.1.isEmpty {
                open.append(name)
            } else if open.popLast() != name {
                return false
            }
        }
        return open.isEmpty
    }
}
