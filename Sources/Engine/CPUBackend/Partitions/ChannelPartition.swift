/// The division of a channels-last image into tiles of rows and channels, which threads share.
package struct ChannelPartition: BitwiseCopyable {
    private let rowCount: Int
    private let channelCount: Int
    private let rowParts: Int
    private let channelParts: Int
    private let channelsPerPart: Int

    /// Divides rows first, like the products before and after, so that a thread finds in its cache what it wrote.
    /// Images of few rows are divided by channels too.
    ///
    /// - Parameter maximumChannels: The maximum channels of a tile, rounded up to whole vectors; by default as many as
    ///   a thread's cache holds.
    package init(rowCount: Int, channelCount: Int, maximumChannels: Int? = nil) {
        self.rowCount = rowCount
        self.channelCount = channelCount
        let maximumRowParts = 8
        rowParts = min(maximumRowParts, max(1, rowCount / 3))
        let maximumChannels = max(1, maximumChannels ?? (rowParts == maximumRowParts ? 192 : 96))
        let parts = (channelCount + maximumChannels - 1) / maximumChannels
        // A multiple of every instruction set's vectors.
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
