import CPUBackend
import Testing

@Suite("Tiles of rows and channels")
struct ChannelPartitionTests {
    @Test("Every row of every channel is in exactly one tile, and no tile is empty")
    func coversExactlyOnce() {
        for rowCount in [1, 2, 6, 7, 13, 14, 28, 55, 56, 57, 112, 300] {
            for channelCount in [1, 15, 16, 95, 96, 97, 144, 192, 193, 200, 385, 960, 1152] {
                let tiling = ChannelPartition(rowCount: rowCount, channelCount: channelCount)
                var counts = [Int](repeating: 0, count: rowCount * channelCount)
                for index in 0..<tiling.tileCount {
                    let tile = tiling.tile(index)
                    #expect(!tile.rows.isEmpty && !tile.channels.isEmpty, "\(rowCount) × \(channelCount): \(index)")
                    for row in tile.rows { for channel in tile.channels { counts[row * channelCount + channel] += 1 } }
                }
                #expect(counts.allSatisfy { $0 == 1 }, "\(rowCount) × \(channelCount)")
            }
        }
    }

    @Test("Two threads get equal shares of the last layers of MobileNet v2")
    func sharesEvenly() {
        let tiling = ChannelPartition(rowCount: 7, channelCount: 960)
        #expect(tiling.tileCount % 2 == 0)
        #expect(Set((0..<tiling.tileCount).map { tiling.tile($0).channels.count }) == [96])
    }
}
