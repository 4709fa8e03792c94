import Apus
import Foundation
import Testing

@Suite("Checksums of outputs")
struct ChecksumTests {
    @Test("The checksum is CRC-32, in whatever pieces bytes come")
    func isCRC32() {
        let bytes = Array("123456789".utf8)
        #expect(Checksum(bytes).text == "cbf43926")
        #expect(Checksum([]).text == "00000000")
        for split in 0...bytes.count {
            var pieces = Checksum(Array(bytes[..<split]))
            pieces.add(numbers: Array(bytes[split...]))
            #expect(pieces == Checksum(bytes))
            var parts = Checksum(Array(bytes[..<split]))
            parts.add(Checksum(Array(bytes[split...])), byteCount: bytes.count - split)
            #expect(parts == Checksum(bytes))
        }
    }

    @Test("A sum of hashes tells other records from these, and not their order of writing")
    func sumsOfHashes() throws {
        func sum(_ records: [(Int, String)]) throws -> HashSum {
            var rows = RunRows()
            for (position, id) in records { rows.add(position: position, id: id, isAnswer: true) }
            return try #require(rows.ids)
        }
        let first = try sum([(0, "a"), (1, "b")])
        #expect(try sum([(1, "b"), (0, "a")]) == first)
        #expect(try sum([(0, "b"), (1, "a")]) != first)
        #expect(try sum([(0, "a")]) != first)
        #expect(try JSONDecoder().decode(HashSum.self, from: JSONEncoder().encode(first)) == first)
    }

    @Test(
        "Records of CSV are counted, whatever is in their cells",
        arguments: [
            ("id,error,index_1\r\n", 0), ("id,error,index_1\r\na,,1\r\nb,,2\r\n", 2),
            ("id,error,index_1\r\n\"a\r\nb\",,1\r\n\"say \"\"hi\"\"\r\n\",\"x\r\ny\",\r\n", 2),
            ("id,error,time,index\r\na,,,1\r\na,,,2\r\nb,,,\r\n\"a,b\",,,1\r\n\"a,b\",,,2\r\n", 3),
        ])
    func rowsOfCSV(_ text: String, _ count: Int) {
        for size in [1, 3, 1000] {
            var counter = RowCounter.cells(CSVRows())
            var rest = Data(text.utf8)
            while !rest.isEmpty {
                counter.add(rest.prefix(size))
                rest = Data(rest.dropFirst(size))
            }
            #expect(counter.count == count)
        }
    }
}
