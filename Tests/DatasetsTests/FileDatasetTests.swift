import Apus
import Foundation
import TestSupport
import Testing

@Suite("Files and folders")
struct FileDatasetTests {
    @Test("Folders are listed by path, byte by byte, and labelled by the first subfolder")
    func order() throws {
        try withTemporaryFolder { folder in
            let names = [
                "a.b/1.jpg", "a/z.png", "a.jpg", "B.JPG", "a/deep/er/1.jpeg", "é.png", "b/notes.txt", ".h.png",
            ]
            for name in names { try folder.write(name) }
            let records = try FileDataset.imageFolder(folder.path + "//").all()
            let expected = ["B.JPG", "a.b/1.jpg", "a.jpg", "a/deep/er/1.jpeg", "a/z.png", "é.png"]
            #expect(records.map(\.id) == expected.map { "\(folder.path)/\($0)" })
            #expect(records.map(\.label) == [nil, "a.b", nil, "a", "a", nil])
        }
    }

    @Test("Globs take and leave out files, and leave out whole folders")
    func selection() throws {
        try withTemporaryFolder { folder in
            for name in ["cats/1.jpg", "cats/old/2.jpg", "dogs/3.jpg", "dogs/4.txt", "5.jpg"] { try folder.write(name) }
            func ids(_ including: [GlobPattern], _ excluding: [GlobPattern]) throws -> [String] {
                let selection = FileDataset.Selection(including: including, excluding: excluding)
                return try FileDataset.imageFolder(folder.path, selection).all().map {
                    String($0.id.dropFirst(folder.path.count + 1))
                }
            }
            #expect(try ids(["*.txt"], []) == ["dogs/4.txt"])
            #expect(try ids([], ["old", "5*"]) == ["cats/1.jpg", "dogs/3.jpg"])
            #expect(try ids(["cats/*.jpg"], []) == ["cats/1.jpg"])
            #expect(try ids(["**/[12].jpg"], []) == ["cats/1.jpg", "cats/old/2.jpg"])
            #expect(throws: ApusError.self) { try ids(["*.gif"], []) }
        }
    }

    @Test(
        "Globs",
        arguments: [
            ("*.jpg", "a/b.jpg", true), ("*.jpg", "a/b.jpgx", false), ("a/*", "a/b/c", false), ("a/**", "a/b/c", true),
            ("**/c", "c", true), ("**/c", "a/b/c", true), ("**/c", "a/bc", false), ("a/**/c", "a/c", true),
            ("[a-c]?", "b1", true), ("[!a-c]?", "b1", false), ("[]]", "]", true), ("[x", "[x", true),
            ("\\*", "*", true), ("\\*", "a", false), ("*", "", true), ("", "a", false), ("[^a]", "/", false),
            ("*a*a*a*a*a*a*a*a*a*b", String(repeating: "a", count: 2000), false),
        ])
    func glob(pattern: String, path: String, isMatch: Bool) {
        #expect(GlobPattern(pattern).matches(path) == isMatch)
    }

    @Test("Links in circles, pipes, devices and names that are no text neither hang nor vanish")
    func specialFiles() throws {
        try withTemporaryFolder { folder in
            try folder.write("a/1.png")
            #expect(symlink("..", folder.appending(path: "a/loop").path) == 0)
            #expect(symlink("loop.png", folder.appending(path: "loop.png").path) == 0)
            #expect(symlink("a/1.png", folder.appending(path: "link.png").path) == 0)
            #expect(mkfifo(folder.appending(path: "pipe.png").path, 0o600) == 0)
            let name = folder.path.utf8CString.dropLast() + "/b\u{1}.png".utf8CString
            let bytes = name.map { $0 == 1 ? CChar(bitPattern: 0xFF) : $0 }
            let descriptor = open(bytes, O_CREAT | O_WRONLY, 0o600)
            try #require(descriptor >= 0)
            close(descriptor)
            let records = try FileDataset.imageFolder(folder.path).all()
            #expect(
                records.map { String($0.id.dropFirst(folder.path.count + 1)) }
                    == ["a/1.png", "b\\xFF.png", "link.png", "loop.png"])
            #expect(records[1].errorCode == "name")
            #expect(unlink(bytes) == 0)
        }
    }

    @Test("A folder that cannot be listed is passed over, counted and named, unless the listing is strict")
    func unlistedFolders() throws {
        try withTemporaryFolder { folder in
            let picture = try folder.write("a/1.png")
            // Folders in folders, to a path that is too long for the system.
            let name = String(repeating: "d", count: 200)
            let descriptors = try (0..<24).reduce(into: [open(folder.path, O_RDONLY | O_DIRECTORY)]) { open, _ in
                let outer = try #require(open.last)
                #expect(mkdirat(outer, name, 0o700) == 0)
                open.append(openat(outer, name, O_RDONLY | O_DIRECTORY))
            }
            defer {
                for outer in descriptors.dropLast().reversed() { unlinkat(outer, name, AT_REMOVEDIR) }
                for descriptor in descriptors { close(descriptor) }
            }
            let listing = try FileDataset.imageFolder(folder.path).records()
            #expect(try listing.next()?.id == picture)
            #expect(try listing.next()?.id == nil)
            #expect(listing.passedOver.counts == ["folder that cannot be listed": 1])
            #expect(listing.passedOver.folders.count == 1)
            #expect(listing.passedOver.folders.first?.hasSuffix(": file name too long") == true)
            var selection = FileDataset.Selection()
            selection.isStrict = true
            let error = #expect(throws: ApusError.self) { try FileDataset.imageFolder(folder.path, selection).all() }
            #expect(error.map { "\($0)" }?.hasSuffix("the folder cannot be listed: file name too long") == true)
        }
    }

    @Test("Two records with one id are refused, by the bytes of the id")
    func repeats() throws {
        try withTemporaryFolder { folder in
            let path = try folder.write("1.png")
            let error = #expect(throws: ApusError.self) { try FileDataset.files([folder.path, path]).survey() }
            #expect(error.map { "\($0)" } == "\(path): is given more than once")
            // The same letter composed and decomposed, which are equal strings in Swift.
            let survey = try FileDataset.files(["\u{E9}.png", "e\u{301}.png"]).survey()
            #expect(survey.recordCount == 2)
            let other = try FileDataset.files(["e\u{301}.png", "\u{E9}.png"]).survey()
            #expect(survey.fingerprint != other.fingerprint)
        }
    }

    @Test("A listing can be gone through asynchronously")
    func asynchronous() async throws {
        var ids: [String] = []
        for try await record in try FileDataset.files((0..<100).map { "\($0).png" }).records() { ids.append(record.id) }
        #expect(ids == (0..<100).map { "\($0).png" })
    }
}
