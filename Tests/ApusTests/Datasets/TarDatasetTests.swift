import Apus
import Foundation
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
            records.map(\.errorCode) == ["unreadable", "no-picture", nil, nil, "unsupported", "unrecognized"])
        #expect(records.map(\.label) == [nil, "7", "cat", "cat", nil, nil])
    }

    @Test("An archive cut at any place gives whole pictures, then one error", arguments: ["ustar.tar", "ustar.tar.gz"])
    func cut(name: String) throws {
        let whole = try DatasetFixtures.data(name)
        let pictures = try DatasetFixtures.pictures().pixels
        var generator = SplitMix64(seed: 11)
        // The end of a tar archive is padding; a gzip member counts to its last byte.
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
    private static func header(_ name: String, size: Int, type: Character = "0") -> Data {
        var block = [UInt8](repeating: 0, count: 512)
        block.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        block[124] = 0x80
        for index in 0..<8 { block[135 - index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        block[156] = type.asciiValue ?? 0
        block.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        block.replaceSubrange(148..<155, with: (String(repeating: "0", count: 6 - sum.count) + sum + "\0").utf8)
        return Data(block)
    }
}
