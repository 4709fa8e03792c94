/// A channels-last image cut into tiles of rows and channels for threads to share.
package struct ChannelTiling: BitwiseCopyable {
    private let rowCount: Int
    private let channelCount: Int
    private let rowParts: Int
    private let channelParts: Int
    private let channelsPerPart: Int

    /// Rows first, as the products before and after are cut, so that a thread finds in its cache what it wrote; images
    /// of few rows by channels too.
    package init(rowCount: Int, channelCount: Int) {
        self.rowCount = rowCount
        self.channelCount = channelCount
        let mostRowParts = 8
        rowParts = min(mostRowParts, max(1, rowCount / 3))
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
