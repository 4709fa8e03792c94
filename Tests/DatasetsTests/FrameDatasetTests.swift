import Apus
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Raw frames")
struct FrameDatasetTests {
    @Test(
        "Formats are read strictly",
        arguments: [
            ("640x480xrgb24", 921_600), ("3x3xyuv420p", 17), ("2x1xgray@30000/1001", 2), ("1x1xbgra@0.5", 4),
            ("0x1xgray", nil), ("1x1", nil), ("1x1xrgb", nil), ("1x1xgray@", nil), ("1x1xgray@0", nil),
            ("1x1xgray@-1", nil), ("1x1xgray@1/0", nil), ("1x1xgray@nan", nil), ("1x1xgray@1@1", nil),
            ("99999999999999999999x1xgray", nil), ("40000x1xgray", nil), ("1x1xgrayx", nil),
        ])
    func formats(text: String, byteCount: Int?) {
        #expect(FrameFormat(text)?.byteCount == byteCount)
    }

    @Test(
        "Pixels",
        arguments: [
            ("rgb24", [10, 20, 30, 40, 50, 60], [10, 20, 30, 40, 50, 60]),
            ("bgr24", [30, 20, 10, 60, 50, 40], [10, 20, 30, 40, 50, 60]),
            ("rgba", [10, 20, 30, 0, 40, 50, 60, 255], [10, 20, 30, 40, 50, 60]),
            ("bgra", [30, 20, 10, 0, 60, 50, 40, 255], [10, 20, 30, 40, 50, 60]),
            ("gray", [7, 8], [7, 7, 7, 8, 8, 8]),
            // Black and white, and BT.601's red: Y 81, Cb 90, Cr 240.
            ("yuv420p", [16, 235, 128, 128], [0, 0, 0, 255, 255, 255]),
            ("yuv420p", [81, 81, 90, 240], [254, 0, 0, 254, 0, 0]),
        ] as [(String, [UInt8], [UInt8])])
    func pixels(name: String, bytes: [UInt8], expected: [UInt8]) throws {
        let format = try #require(FrameFormat("2x1x\(name)"))
        try withTemporaryFolder { folder in
            let path = try folder.write("frames", Data(bytes))
            let records = try FrameDataset.frames(format, from: path).all()
            #expect(records.map(\.id) == ["frame-000000"])
            #expect(try records.first?.pixels == expected)
        }
    }

    @Test("Thinning keeps frames evenly, and ids are those of the source")
    func thinning() throws {
        func numbers(_ source: String, _ rate: String, count: Int) throws -> [String] {
            let format = try #require(FrameFormat("1x1xgray@\(source)"))
            return try withTemporaryFolder { folder in
                let path = try folder.write("frames", Data((0..<count).map { UInt8($0) }))
                let thinning = FrameDataset.Thinning(rate: FrameFormat.Rate(rate))
                let records = try FrameDataset.frames(format, from: path, thinning).all()
                for record in records { #expect(try record.pixels[0] == UInt8(record.id.dropFirst(6))) }
                return records.map { String(Int($0.id.dropFirst(6)) ?? -1) }
            }
        }
        #expect(try numbers("30", "10", count: 10) == ["0", "3", "6", "9"])
        #expect(try numbers("5", "5", count: 3) == ["0", "1", "2"])
        #expect(try numbers("3", "2", count: 7) == ["0", "2", "3", "5", "6"])
        // 29.97 is a little less than 30000/1001, and one frame makes up for it.
        #expect(try numbers("30000/1001", "29.97", count: 100).count == 99)
        #expect(throws: ApusError.self) { try numbers("5", "6", count: 3) }
        let unknown = try #require(FrameFormat("1x1xgray"))
        #expect(throws: ApusError.self) {
            try FrameDataset.frames(unknown, from: "none", .init(rate: FrameFormat.Rate("1")))
        }
    }

    @Test("Bytes that do not fill the last frame are an error record")
    func partial() throws {
        let format = try #require(FrameFormat("2x2xrgb24"))
        try withTemporaryFolder { folder in
            let path = try folder.write("frames", Data(count: 30))
            for dropsLate in [false, true] {
                let records = try FrameDataset.frames(format, from: path, .init(dropsLate: dropsLate)).all()
                #expect(records.map(\.id) == ["frame-000000", "frame-000001", "frame-000002"])
                #expect(records.map(\.errorCode) == [nil, nil, "truncated"])
            }
        }
    }

    @Test("Late frames are dropped, oldest first, while others wait")
    func dropsLate() throws {
        // Many times the capacity of a pipe: when all is written, most was read although no frame was taken.
        let format = try #require(FrameFormat("64x64xgray"))
        let count = 300
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "pipe").path
            #expect(mkfifo(path, 0o600) == 0)
            let written = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let file = FileHandle(forWritingAtPath: path)
                file?.write(Data(count: 64 * 64 * count))
                try? file?.close()
                written.signal()
            }
            let listing = try FrameDataset.frames(format, from: path, .init(dropsLate: true)).records()
            written.wait()
            var ids: [String] = []
            var droppedCount = 0
            while let record = try listing.next() {
                ids.append(record.id)
                droppedCount += record.droppedBefore
            }
            #expect(droppedCount > 0)
            #expect(ids.count + droppedCount == count)
            #expect(ids.last == "frame-000299")
            #expect(ids == ids.sorted())
        }
    }
}
