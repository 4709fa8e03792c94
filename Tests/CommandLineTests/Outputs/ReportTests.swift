import Apus
import Foundation
import TestSupport
import Testing

/// Pages opened in a browser without a window.
///
/// `make test-reports` installs Chromium; where it is missing these tests are skipped.
@Suite(.enabled(if: Browser.path != nil, "no chromium here: make test-reports installs it"), .serialized)
struct ReportTests {
    /// Sorts every table by every column, twice, and moves the pointer over every shape with a tooltip.
    private static let probe = """
        <script>
        const report = [];
        document.querySelectorAll("table.sortable").forEach(table => {
          const before = table.tBodies[0].rows.length;
          table.querySelectorAll("thead button").forEach((button, column) => {
            [0, 1].forEach(() => {
              button.click();
              const order = button.parentElement.getAttribute("aria-sort");
              const cells = Array.from(table.tBodies[0].rows).map(row => row.cells[column]);
              const values = cells.map(cell => cell.dataset.order === undefined ? cell.textContent : Number(cell.dataset.order));
              values.forEach((value, index) => {
                if (index === 0) return;
                const [a, b] = order === "ascending" ? [values[index - 1], value] : [value, values[index - 1]];
                const isRight = typeof a === "number" && typeof b === "number" ? !(a > b) : !(String(a).localeCompare(String(b)) > 0);
                if (!isRight) report.push("unsorted " + button.textContent);
              });
            });
          });
          if (table.tBodies[0].rows.length !== before) report.push("rows lost");
        });
        const shapes = document.querySelectorAll("[data-tip]");
        shapes.forEach(shape => {
          shape.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: 5, clientY: 5}));
          if (document.getElementById("tip").textContent !== shape.dataset.tip) report.push("no tip");
        });
        const wide = document.documentElement.scrollWidth > innerWidth ? "wider than the window" : "fits";
        const svgs = Array.from(document.querySelectorAll("svg")).filter(svg => svg.getBoundingClientRect().height > 20);
        document.body.dataset.report = JSON.stringify({
          problems: report, tables: document.querySelectorAll("table").length, pictures: svgs.length,
          tips: shapes.length, width: wide, background: getComputedStyle(document.body).backgroundColor});
        </script>
        """

    /// Opens a page and returns the probe's findings.
    private func open(
        _ page: URL, in folder: URL, isDark: Bool = false, probe: String = Self.probe
    ) async throws -> [String: Any] {
        let html = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let probed = folder.appendingPathComponent("probed.html")
        try Data(html.replacing("</body>", with: probe + "</body>").utf8).write(to: probed)
        let outcome = try await Browser.open(probed, profile: folder.appendingPathComponent("profile"), isDark: isDark)
        #expect(!outcome.errors.contains("CONSOLE"), "\(outcome.errors)")
        let found = try #require(outcome.output.firstMatch(of: /data-report="([^"]*)"/), "\(outcome.errors)")
        let json = String(found.1).replacing("&quot;", with: "\"")
        return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test func aComparisonRendersAndSorts() async throws {
        try await withTemporaryFolder { folder in
            let page = folder.appendingPathComponent("report.html")
            let outcome = try await Command.run(
                "compare", Fixtures.model, "photos/coffee.png", "--backends", "cpu,openblas", "--seconds", "0.1",
                "--report", page.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let light = try await open(page, in: folder)
            #expect((light["problems"] as? [String])?.isEmpty == true, "\(light)")
            #expect(light["tables"] as? Int == 5)
            #expect((light["pictures"] as? Int ?? 0) >= 5)
            #expect((light["tips"] as? Int ?? 0) > 100)
            #expect(light["width"] as? String == "fits")
            let dark = try await open(page, in: folder, isDark: true)
            #expect(light["background"] as? String != dark["background"] as? String)
        }
    }

    @Test func anEvaluationRendersAndSorts() async throws {
        try await withTemporaryFolder { folder in
            let page = folder.appendingPathComponent("report.html")
            let outcome = try await Command.run(
                "evaluate", Fixtures.model, "photos", "--label-pattern", "(coffee)", "--skip-unknown-labels",
                "--report",
                page.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let found = try await open(page, in: folder)
            #expect((found["problems"] as? [String])?.isEmpty == true, "\(found)")
            #expect(found["tables"] as? Int == 2)
            #expect(found["width"] as? String == "fits")
        }
    }

    @Test func anEvaluationOfObjectsRendersAndSorts() async throws {
        try await withTemporaryFolder { folder in
            let page = folder.appendingPathComponent("report.html")
            let files = ["results", "truth"].map { Fixtures.path("evaluation/masks.\($0).json") }
            let outcome = try await Command.run(
                "evaluate", "--results", files[0], "--annotations", files[1], "--report", page.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let found = try await open(page, in: folder)
            #expect((found["problems"] as? [String])?.isEmpty == true, "\(found)")
            #expect(found["tables"] as? Int == 2 && found["pictures"] as? Int == 1)
            #expect(found["tips"] as? Int == 4)
            #expect(found["width"] as? String == "fits")
        }
    }

    /// Scrolls to the end, filters, and says how many tiles there are.
    private static let sheetProbe = """
        <script>
        const state = {};
        const tiles = () => document.querySelectorAll(".tile").length;
        const filter = (id, key, value) => {
          const field = document.getElementById(id);
          field[key] = value;
          field.dispatchEvent(new Event("input", {bubbles: true}));
          return document.getElementById("count").textContent;
        };
        const begin = performance.now();
        state.all = document.getElementById("count").textContent;
        state.tiles = tiles();
        state.errors = filter("errors", "checked", true);
        filter("errors", "checked", false);
        state.named = filter("name", "value", "[19999]");
        filter("name", "value", "");
        state.class = filter("class", "selectedIndex", 1);
        filter("class", "selectedIndex", 0);
        state.sure = filter("least", "value", 1000);
        filter("least", "value", 0);
        const sheet = document.getElementById("sheet");
        sheet.scrollTop = sheet.scrollHeight;
        sheet.dispatchEvent(new Event("scroll"));
        dispatchEvent(new Event("resize"));
        requestAnimationFrame(() => requestAnimationFrame(() => {
          state.last = Array.from(document.querySelectorAll(".tile b")).pop().textContent;
          state.seconds = (performance.now() - begin) / 1000;
          state.backgrounds = document.querySelectorAll(".picture[style]").length;
          document.body.dataset.report = JSON.stringify(state);
        }));
        </script>
        """

    /// `APUS_SHEET_RECORDS` is the number of pictures.
    @Test func aSheetOfManyPicturesIsDrawnInPartsAndFilters() async throws {
        try await withTemporaryFolder { folder in
            let variable = ProcessInfo.processInfo.environment["APUS_SHEET_RECORDS"]
            let count = variable.flatMap { Int($0) } ?? 20_000
            try Tensor((0..<count * 192).map { UInt8(truncatingIfNeeded: $0 / 97) }, shape: [count, 8, 8, 3])
                .write(toNumPyFile: folder.appendingPathComponent("many.npy").path)
            let graph = try Graph.build("small") { net in
                let image = net.input("image", .float32, [.batch, 3, 8, 8])
                net.output("scores", image.globalAveragePool().flatten().linear(4))
            }
            try Model(graph.seeded(3)).export(to: folder.appendingPathComponent("small.onnx").path)
            let outcome = try await Command.run(
                [
                    "predict", "small.onnx", "many.npy", Fixtures.path("images/bad/zeros.png"), "--task", "classify",
                    "-o",
                    "a.csv", "--report", "report.html", "--quiet",
                ], in: folder)
            #expect(outcome.status == 1, "\(outcome.errors)")
            let page = folder.appendingPathComponent("report.html")
            let found = try await open(page, in: folder, probe: Self.sheetProbe)
            #expect(
                found["all"] as? String == "\(count + 1) of \(count + 1)"
                    && found["errors"] as? String == "1 of \(count + 1)", "\(found)")
            #expect(
                found["named"] as? String == "1 of \(count + 1)" && found["sure"] as? String != found["all"] as? String)
            #expect((1..<400).contains(found["tiles"] as? Int ?? 0))
            #expect(found["last"] as? String == "zeros.png" && (found["backgrounds"] as? Int ?? 0) > 0)
        }
    }

    @Test func aBenchmarkRendersAndSorts() async throws {
        try await withTemporaryFolder { folder in
            let page = folder.appendingPathComponent("report.html")
            let outcome = try await Command.run(
                "bench", Fixtures.model, "--threads", "1,2", "--time", "0.1", "--warm-up", "0.1", "--report", page.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let found = try await open(page, in: folder)
            #expect((found["problems"] as? [String])?.isEmpty == true, "\(found)")
            #expect((found["pictures"] as? Int ?? 0) >= 4)
            #expect(found["width"] as? String == "fits")
        }
    }
}

/// Chromium, without a window.
private enum Browser {
    /// The path of the browser; nil when there is none.
    static let path = ["chromium", "chromium-browser", "google-chrome"].flatMap { name in
        ["/usr/bin/\(name)", "/usr/local/bin/\(name)"]
    }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The page after its scripts have run, and what they wrote to the console.
    static func open(_ page: URL, profile: URL, isDark: Bool) async throws -> Command.Outcome {
        let command = Command(
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                "--user-data-dir=\(profile.path)", "--window-size=1280,900", "--virtual-time-budget=20000",
                "--dump-dom",
            ] + (isDark ? ["--blink-settings=preferredColorScheme=0"] : []) + [page.absoluteString])
        command.process.executableURL = path.map { URL(fileURLWithPath: $0) }
        return try await command.outcome()
    }
}
