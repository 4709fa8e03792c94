import Apus
import Foundation
import TestSupport
import Testing

@Suite("Tar archives")
struct TarDatasetTests {
    @Test(
        "Samples of every tar format have their pictures and labels",
        arguments: [
            ("ustar.tar", ""), ("ustar.tar.gz", ""),
            ("pax.tar", String(repeating: "a-folder-with-a-long-name/", count: 6) + "é/"),
            ("gnu.tar", String(repeating: "a-folder-with-a-long-name/", count: 6) + "é/"),
        ])
    func samples(name: String, prefix: String) throws {
        let path = DatasetFixtures.path(name)
        let dataset = TarDataset.tar(path)
        let records = try dataset.all()
        let pictures = try DatasetFixtures.pictures()
        #expect(records.map(\.id) == (0..<5).map { "\(path)/\(prefix)000\($0).png" })
        #expect(records.map(\.label) == pictures.labels.map(String.init))
        #expect(try records.map { try $0.pixels } == pictures.pixels)
        #expect(dataset.canBeListedAhead == !name.hasSuffix(".gz"))
        #expect(dataset.containers == [path])
    }

    @Test("Members that are no pictures are passed over or errors, none is lost")
    func oddMembers() throws {
        let path = DatasetFixtures.path("odd.tar")
        let records = try TarDataset.tar(path).all()
        #expect(
            records.map { String($0.id.dropFirst(path.count + 1)) }
                == ["link.png", "alone", "two.left.png", "two.right.png", "web.webp", "broken.png"])
        #expect(
            records.map(\.errorCode) == ["unreadable", "no-picture", nil, nil, "truncated", "unrecognized"])
        #expect(records.map(\.label) == [nil, "7", "cat", "cat", nil, nil])
    }

    @Test("An archive cut at any place gives whole pictures, then one error", arguments: ["ustar.tar", "ustar.tar.gz"])
    func cut(name: String) throws {
        let whole = try DatasetFixtures.data(name)
        let pictures = try DatasetFixtures.pictures().pixels
        var generator = SplitMix64(seed: 11)
        // A tar archive ends with padding, but every byte of a gzip member is significant.
        let end = name.hasSuffix(".gz") ? whole.count : 10 * 1024
        try withTemporaryFolder { folder in
            for _ in 0..<120 {
                let count = 1 + Int(generator.next() % UInt64(end - 1))
                let path = try folder.write(name, whole.prefix(count))
                guard let records = try? TarDataset.tar(path).all() else {
                    Issue.record("\(count) bytes: not listed at all")
                    continue
                }
                let last = try #require(records.last)
                #expect(last.id == path && last.errorCode != nil, "\(count) bytes")
                for (record, expected) in zip(records.dropLast(), pictures) {
                    #expect(try record.pixels == expected, "\(count) bytes: \(record.id)")
                }
            }
        }
    }

    @Test("An archive that is cut at any byte gives every picture that is whole")
    func everyWholePicture() throws {
        let picture = try Data(contentsOf: TestedNetworks.fixtures.appending(path: "images/grey-16.png"))
        try withTemporaryFolder { folder in
            var (bytes, ends) = (Data(), [Int]())
            for number in 0..<4 {
                bytes += Self.header("\(number).png", size: picture.count) + picture
                ends.append(bytes.count)
                bytes += Data(count: (512 - picture.count % 512) % 512)
                if number % 2 == 0 {
                    bytes += Self.header("\(number).cls", size: 1) + Data("7".utf8) + Data(count: 511)
                }
            }
            let end = bytes.count
            bytes += Data(count: 1024)
            let counts = Array(stride(from: 1, to: bytes.count, by: 37)) + ends + ends.map { $0 - 1 } + [end]
            for count in counts {
                let path = try folder.write("a.tar", bytes.prefix(count))
                let records = try TarDataset.tar(path).all()
                let whole = ends.count { $0 <= count }
                #expect(records.prefix(whole).map(\.id) == (0..<whole).map { "\(path)/\($0).png" }, "\(count) bytes")
                #expect(records.prefix(whole).allSatisfy { $0.errorCode == nil }, "\(count) bytes")
                // A block of zeros is an end.
                #expect(records.dropFirst(whole).map(\.id) == (count < end + 512 ? [path] : []), "\(count) bytes")
            }
        }
    }

    @Test("Archives that were joined are read to the end of the last, and what is none is an error")
    func joined() throws {
        let picture = try Data(contentsOf: TestedNetworks.fixtures.appending(path: "images/grey-16.png"))
        func archive(_ name: String) -> Data {
            Self.header(name, size: picture.count) + picture + Data(count: (512 - picture.count % 512) % 512)
        }
        try withTemporaryFolder { folder in
            func ids(_ content: Data) throws -> [String] {
                let path = try folder.write("a.tar", content)
                return try TarDataset.tar(path).all().map {
                    ($0.id == path ? "" : String($0.id.dropFirst(path.count + 1)))
                        + ($0.errorCode.map { " \($0)" } ?? "")
                }
            }
            func expect(_ content: Data, _ expected: [String]) throws {
                let found = try ids(content)
                #expect(found == expected)
            }
            let (first, second) = (archive("1.png"), archive("2.png"))
            for padding in [512, 1024, 10_240, 100_352] {
                try expect(first + Data(count: padding) + second + Data(count: padding), ["1.png", "2.png"])
            }
            try expect(first + Data(count: 1024) + second, ["1.png", "2.png", " truncated"])
            try expect(first + Data(count: 1024) + second.prefix(700), ["1.png", " truncated"])
            try expect(first + Data(count: 1024) + Data(repeating: 7, count: 600), ["1.png", " corrupt"])
            try expect(first + Data(count: 1024) + Data("x".utf8), ["1.png", " corrupt"])
            try expect(first + Data(count: 1024 + 100), ["1.png"])
        }
        let (path, one) = (DatasetFixtures.path("ustar.tar.gz"), try DatasetFixtures.data("ustar.tar.gz"))
        try withTemporaryFolder { folder in
            let twice = try folder.write("twice.tar.gz", one + one)
            #expect(try TarDataset.tar(twice).all().count == 2 * TarDataset.tar(path).all().count)
        }
    }

    @Test("Damaged bytes never trap, and what is listed ends")
    func damaged() throws {
        var generator = SplitMix64(seed: 12)
        try withTemporaryFolder { folder in
            for name in ["ustar.tar", "pax.tar", "gnu.tar", "ustar.tar.gz"] {
                let whole = try DatasetFixtures.data(name)
                for _ in 0..<150 {
                    var bytes = whole
                    for _ in 0..<(1 + generator.next() % 3) {
                        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
                    }
                    let path = try folder.write(name, bytes)
                    guard let listing = try? TarDataset.tar(path).records() else { continue }
                    var count = 0
                    while let record = try listing.next() {
                        _ = record.errorCode
                        count += 1
                    }
                    #expect(count <= 20)
                }
            }
        }
    }

    @Test("Sizes that a header only claims take no memory", arguments: [Int.max, 1 << 62, 1 << 40, 8_589_934_592])
    func claimedSizes(size: Int) throws {
        try withTemporaryFolder { folder in
            let path = try folder.write("a.tar", Self.header("a.png", size: size) + Data(count: 1024))
            let records = try TarDataset.tar(path).all()
            #expect(records.count == 1 && records[0].id == path, "\(records.map(\.id))")
            #expect(["truncated", "corrupt"].contains(records[0].errorCode))
            let long = try folder.write("b.tar", Self.header("a", size: size, type: "L") + Data(count: 1024))
            #expect(try TarDataset.tar(long).all().map(\.errorCode) == ["corrupt"])
        }
    }

    @Test("A member that is declared larger than a picture may be is an error, however much of it is there")
    func largeMembers() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "a.tar").path
            let size = 200 << 30
            let first = Self.header("a.png", size: size)
            let second = Self.header("b.png", size: 0)
            _ = FileManager.default.createFile(atPath: path, contents: first)
            let file = try #require(FileHandle(forWritingAtPath: path))
            // The file is sparse.
            try file.truncate(atOffset: UInt64(512 + size))
            try file.seekToEnd()
            try file.write(contentsOf: second + Data(count: 1024))
            try file.close()
            #expect(try TarDataset.tar(path).all().map(\.errorCode) == ["too-large", "empty"])
        }
    }

    @Test("Links and sparse members are errors that say so, and the members behind them are read")
    func linkedMembers() throws {
        let picture = try Data(contentsOf: TestedNetworks.fixtures.appending(path: "images/grey-16.png"))
        try withTemporaryFolder { folder in
            let content = picture + Data(count: (512 - picture.count % 512) % 512)
            func member(_ header: Data) -> Data { header + content }
            var sparse = Self.header("c.png", size: picture.count, type: "S")
            sparse[482] = 1
            var part = Data(count: 512)
            part[504] = 1
            let path = try folder.write(
                "a.tar",
                member(Self.header("a.png", size: picture.count))
                    + Self.header("b.png", size: 0, type: "1", linkName: "a.png")
                    + Self.header("l.png", size: 0, type: "2", linkName: "/etc/passwd")
                    + Self.checked(sparse) + part + Data(count: 512) + content
                    + member(Self.header("d.png", size: picture.count)) + Data(count: 1024))
            let records = try TarDataset.tar(path).all()
            #expect(records.map(\.errorCode) == [nil, "unreadable", "unreadable", "unreadable", nil])
            let messages = records.map { record in
                if case .failure(let error) = record.source { error.message } else { "" }
            }
            #expect(messages[1] == "the member is a hard link to \"a.png\", whose bytes are elsewhere in the archive")
            #expect(messages[2] == "the member is a symbolic link to \"/etc/passwd\", which is not followed")
        }
    }

    @Test("Labels that stand apart from their pictures are not lost without a word")
    func labelsApart() throws {
        let picture = try Data(contentsOf: TestedNetworks.fixtures.appending(path: "images/grey-16.png"))
        try withTemporaryFolder { folder in
            func member(_ name: String, _ content: Data) -> Data {
                Self.header(name, size: content.count) + content + Data(count: (512 - content.count % 512) % 512)
            }
            let path = try folder.write(
                "a.tar",
                member("1.png", picture) + member("2.png", picture) + member("1.cls", Data("cat".utf8))
                    + member("2.cls", Data("dog".utf8)) + Data(count: 1024))
            let records = try TarDataset.tar(path).all()
            #expect(records.map(\.label) == [nil, nil, "cat", "dog"])
            #expect(records.map(\.errorCode) == [nil, nil, "no-picture", "no-picture"])
        }
    }

    @Test("An archive that cannot be read does not keep the next from being read")
    func several() throws {
        try withTemporaryFolder { folder in
            let noise = try folder.write("noise.tar", Data(repeating: 7, count: 2000))
            let records = try TarDataset.tar(noise, DatasetFixtures.path("ustar.tar")).all()
            #expect(records.count == 6)
            #expect(records[0].errorCode == "corrupt")
            #expect(throws: ApusError.self) { try TarDataset.tar(folder.appending(path: "none.tar").path).all() }
        }
    }

    /// The header of a member, with its size in base 256.
    private static func header(
        _ name: String, size: Int, type: Character = "0", linkName: String = ""
    ) -> Data {
        var block = [UInt8](repeating: 0, count: 512)
        block.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        block[124] = 0x80
        for index in 0..<8 { block[135 - index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        block[156] = type.asciiValue ?? 0
        block.replaceSubrange(157..<157 + linkName.utf8.count, with: linkName.utf8)
        return checked(Data(block))
    }

    /// A header with its checksum.
    private static func checked(_ header: Data) -> Data {
        var block = [UInt8](header)
        block.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        block.replaceSubrange(148..<155, with: (String(repeating: "0", count: 6 - sum.count) + sum + "\0").utf8)
        return Data(block)
    }
}
