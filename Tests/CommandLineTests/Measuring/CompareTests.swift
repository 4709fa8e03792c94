import Foundation
import TestSupport
import Testing

@Suite struct CompareTests {
    @Test func backendsAreComparedOnPictures() async throws {
        let outcome = try await Command.run(
            "compare", Fixtures.model, "photos/coffee.png", "photos/chelsea.png", "--backends", "cpu,openblas",
            "--seconds",
            "0.1", "--layers", "3")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.contains { $0.hasPrefix("openblas ") })
        #expect(outcome.output.contains("faster layers are not shown"))
        #expect(outcome.output.contains("No first class and no five best classes change on 2 inputs."))
        #expect(outcome.output.contains("May I trust the fast one?"))
        #expect(!outcome.output.contains("random numbers"))
    }

    @Test func configurationsAreComparedAsJSON() async throws {
        let outcome = try await Command.run(
            "compare", Fixtures.model, "--configuration", "one=backend:cpu,threads:1", "--configuration",
            "two=backend:openblas+cpu,threads:2,tuning:no", "--seconds", "0.1", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let results = try #require(json["results"] as? [[String: Any]])
        #expect(results.prefix(2).map { $0["name"] as? String } == ["one", "two"])
        #expect(json["isSeeded"] as? Bool == true && json["agrees"] as? Bool == true)
        let configuration = (results[1]["benchmark"] as? [String: Any])?["configuration"] as? [String: Any]
        #expect(configuration?["threads"] as? Int == 2)
        #expect(configuration?["backends"] as? [String] == ["openblas", "cpu"])
        let layers = try #require(json["layers"] as? [[String: Any]])
        #expect(layers.count > 30)
        #expect(layers.allSatisfy { ($0["runs"] as? [Any])?.count == results.count })
    }

    @Test func disagreementEndsWithOne() async throws {
        // No float32 is exact to the last bit of float64.
        let outcome = try await Command.run(
            "compare", Fixtures.model, "--backends", "cpu", "--seconds", "0.1", "--tolerance", "1e-12", "--layers", "0")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("DISAGREES"))
        #expect(outcome.output.contains("No: cpu exceeds the tolerance first at conv1"))
    }

    @Test func aPageIsWritten() async throws {
        try await withTemporaryFolder { folder in
            let page = folder.appendingPathComponent("report.html")
            let outcome = try await Command.run(
                "compare", Fixtures.model, "--backends", "cpu,openblas", "--seconds", "0.1", "--report", page.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let html = String(decoding: try Data(contentsOf: page), as: UTF8.self)
            #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
            #expect(!html.contains("http") && !html.contains("src="))
            #expect(try XMLParsing.isWellFormed(html))
            for heading in ["Time", "Where the time goes", "The network", "Layers", "Agreement", "How this was made"] {
                #expect(html.contains("<h2>\(heading)</h2>"))
            }
        }
    }

    @Test(
        "Wrong usage is one line",
        arguments: [
            (["--backends", "cpu,nonsense"], 4 as Int32, "nonsense"),
            (["--backends", "cpu,,openblas"], 2, "backend without a name"),
            (["--backends", "cpu,cpu"], 2, "two configurations are named \"cpu\""),
            (["--configuration", "one"], 2, "one"), (["--configuration", "one=threads:0"], 2, "threads:0"),
            (["--configuration", "one=backend:cpu,backend:cpu"], 2, "backend:cpu"),
            (["--configuration", "one=speed:high"], 2, "speed:high"), (["--report", "-"], 2, "--report needs"),
            (["photos/missing.png"], 5, "missing.png"), (["--seconds", "0"], 2, "--seconds"),
            (["photos/coffee.png", "--report", "photos/coffee.png"], 2, "is one of the inputs"),
        ])
    func refusals(arguments: [String], status: Int32, message: String) async throws {
        let outcome = try await Command.run(["compare", Fixtures.model, "--seconds", "0.05"] + arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }
}
