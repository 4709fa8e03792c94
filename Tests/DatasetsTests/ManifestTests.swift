import Apus
import Foundation
import TestSupport
import Testing

@Suite("Manifests")
struct ManifestTests {
    /// A list, and its records as `id|file name|label`, or a part of the error.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let records: [String]
        let error: String?

        init(_ name: String, _ text: String, _ records: [String], _ error: String? = nil) {
            (self.name, self.text, self.records, self.error) = (name, text, records, error)
        }

        var testDescription: String { "\(name) \(text.prefix(40).debugDescription)" }
    }

    static let cases = [
        Case("a.csv", "id,path,label\n1,x.png,cat\n2,y.png,\n", ["1|x.png|cat", "2|y.png|-"]),
        Case("a.csv", "\u{FEFF}path\r\nx.png\r\n\r\ny.png", ["x.png|x.png|-", "y.png|y.png|-"]),
        Case("a.csv", "file,class\n\"a, \"\"b\"\"\nc.png\",\"\"\n", ["a, \"b\"\nc.png|a, \"b\"\nc.png|-"]),
        Case("a.csv", "path\r\n\"a\r\nb\nc.png\"\r\n", ["a\r\nb\nc.png|a\r\nb\nc.png|-"]),
        Case("a.csv", "path,label\rx.png,1\r\ry.png,2\r", ["x.png|x.png|1", "y.png|y.png|2"]),
        Case("a.csv", "path\r\"a\rb\r\nc\n.png\"\r\nd.png", ["a\rb\r\nc\n.png|a\rb\r\nc\n.png|-", "d.png|d.png|-"]),
        Case("a.csv", "path,label\rx.png,1\ry.png\r", ["x.png|x.png|1"], "a.csv: line 3: has 1 cell, not 2"),
        Case("a.jsonl", "{\"path\":\"x.png\"}\r{\"path\":\"y.png\"}\r", ["x.png|x.png|-", "y.png|y.png|-"]),
        Case("a.tsv", "label\tfilename\ndog\ta,b.png\n", ["a,b.png|a,b.png|dog"]),
        Case("a.csv", "", [], "a.csv: is empty"),
        Case("a.csv", "id,label\n1,2\n", [], "a.csv: line 1: there is no column of paths"),
        Case("a.csv", "path,path\nx,y\n", [], "line 1: there are two columns named \"path\""),
        Case("a.csv", "path,label\nx.png,1\ny.png\n", ["x.png|x.png|1"], "a.csv: line 3: has 1 cell, not 2"),
        Case("a.csv", "path\n\"x\n\ny\n", [], "line 2: a quotation mark has no end"),
        Case("a.csv", "path\n\"x\"y\n", [], "line 2: there is text behind a quotation mark"),
        Case("a.csv", "path\nx\"y\n", [], "line 2: a quotation mark stands inside a cell"),
        Case("a.csv", "path,id\n,1\n", [], "line 2: has no path"),
        Case("a.csv", "path\nx\u{0}.png\n", [], "line 2: has a zero byte in it"),
        Case("a.csv", "path\n" + String(repeating: "x", count: 2_000_000), [], "line 2: has more than 1048576 bytes"),
        Case(
            "a.jsonl", "{\"path\":\"x.png\",\"id\":7,\"label\":3}\n\n{\"file\":\"/y.png\",\"class\":\"cat\"}",
            ["7|x.png|3", "/y.png|/y.png|cat"]),
        Case("a.jsonl", "{\"path\":\"x.png\"}\n[1]\n", ["x.png|x.png|-"], "a.jsonl: line 2: is not a JSON object"),
        Case("a.jsonl", "{\"id\":1}", [], "line 1: has no path"),
        Case("a.jsonl", "{\"path\":true}", [], "line 1: \"path\" is not a path"),
        Case("a.jsonl", "{\"path\":\"x\",\"label\":1.5}", [], "line 1: the label is neither"),
        Case("a.jsonl", String(repeating: "[", count: 100_000), [], "line 1: is not a JSON object"),
    ]

    @Test("Lists are read strictly, and errors name the line", arguments: cases)
    func reading(_ example: Case) throws {
        try withTemporaryFolder { folder in
            let path = try folder.write(example.name, example.text)
            var found: [String] = []
            var message: String?
            do {
                let listing = try ManifestDataset.manifest(path).records()
                while let record = try listing.next() {
                    guard case .file(let file) = record.source else { continue }
                    let name = file.hasPrefix(folder.path) ? String(file.dropFirst(folder.path.count + 1)) : file
                    found.append("\(record.id)|\(name)|\(record.label ?? "-")")
                }
                #expect(try listing.next() == nil)
            } catch {
                message = "\(error)"
            }
            #expect(found == example.records)
            #expect((message == nil) == (example.error == nil), "\(message ?? "no error")")
            if let error = example.error { #expect(message?.contains(error) == true, "\(message ?? "no error")") }
        }
    }

    @Test("Columns can be named")
    func columns() throws {
        try withTemporaryFolder { folder in
            let path = try folder.write("a.csv", "where,what,who\nx.png,cat,7\n")
            let columns = ManifestDataset.Columns(id: "who", path: "where", label: "what")
            let record = try #require(ManifestDataset.manifest(path, columns: columns).all().first)
            #expect(record.id == "7" && record.label == "cat")
            let missing = ManifestDataset.Columns(path: "nowhere")
            let error = #expect(throws: ApusError.self) { try ManifestDataset.manifest(path, columns: missing).all() }
            #expect(
                error.map { "\($0)" }?.contains("there is no column \"nowhere\"; there are where, what, who") == true)
        }
    }

    @Test("The case of column names counts only where it tells two apart")
    func columnCase() throws {
        try withTemporaryFolder { folder in
            let list = try folder.write("a.csv", "ID,Path,LABEL\n7,x.png,cat\n")
            let lines = try folder.write("a.jsonl", #"{"ID":7,"Path":"x.png","LABEL":"cat"}"# + "\n")
            for path in [list, lines] {
                let record = try #require(ManifestDataset.manifest(path).all().first)
                #expect(record.id == "7" && record.label == "cat")
            }
            let both = try folder.write("b.csv", "PATH,path,Id\nx.png,y.png,7\n")
            let columns = ManifestDataset.Columns(id: "path", path: "PATH")
            #expect(try ManifestDataset.manifest(both, columns: columns).all().map(\.id) == ["y.png"])
            #expect(try ManifestDataset.manifest(both).all().map(\.id) == ["7"])
            let short = try folder.write("c.csv", "id,path\n1\n")
            let error = #expect(throws: ApusError.self) { try ManifestDataset.manifest(short).all() }
            #expect(error.map { "\($0)" } == "\(short): line 2: has 1 cell, not 2")
        }
    }

    @Test("A list may come through a pipe, and then only once")
    func pipe() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "list.csv").path
            #expect(mkfifo(path, 0o600) == 0)
            Thread.detachNewThread {
                let file = FileHandle(forWritingAtPath: path)
                file?.write(Data("path\nx.png\n".utf8))
                try? file?.close()
            }
            let dataset = ManifestDataset.manifest(path)
            #expect(!dataset.canBeListedAhead)
            let ids = try dataset.all().map(\.id)
            #expect(ids == ["x.png"])
        }
    }

    @Test("Bytes that are not UTF-8 are an error")
    func notText() throws {
        try withTemporaryFolder { folder in
            let path = try folder.write("a.csv", Data("path\nx".utf8) + [0xFF] + Data(".png\n".utf8))
            let error = #expect(throws: ApusError.self) { try ManifestDataset.manifest(path).all() }
            #expect(error.map { "\($0)" } == "\(path): line 2: is not UTF-8 text")
        }
    }
}
