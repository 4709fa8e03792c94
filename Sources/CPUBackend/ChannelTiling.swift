/// A channels-last image cut into tiles of rows and channels for threads to share.
package struct ChannelTiling: BitwiseCopyable {
    private let rowCount: Int
    private let channelCount: Int
    private let rowParts: Int
    private let channelParts: Int
    private let channelsPerPart: Int

    /// Images of many rows are cut mostly by rows, so that long runs of channels are read; small ones by channels too.
    package init(rowCount: Int, channelCount: Int) {
        self.rowCount = rowCount
        self.channelCount = channelCount
        let mostRowParts = 8
        rowParts = min(mostRowParts, max(1, rowCount / 7))
        let mostChannels = rowParts == mostRowParts ? 192 : 96
        let parts = (channelCount + mostChannels - 1) / mostChannels
        // Whole vectors of every instruction set.
        channelsPerPart = ((channelCount + parts - 1) / parts + 15) / 16 * 16
        channelParts = (channelCount + channelsPerPart - 1) / channelsPerPart
    }

    package var tileCount: Int { rowParts * channelParts }

    package func tile(_ index: Int) -> (rows: Range<Int>, channels: Range<Int>) {
        let (row, channel) = index.quotientAndRemainder(dividingBy: channelParts)
        let first = channel * channelsPerPart
        return (
            row * rowCount / rowParts..<(row + 1) * rowCount / rowParts,
            first..<min(first + channelsPerPart, channelCount)
        )
    }
}
