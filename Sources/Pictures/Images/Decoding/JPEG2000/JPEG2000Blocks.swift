/// How a codestream divides its tiles into precincts and code-blocks, of which the library keeps a structure each
/// before it reads any.
///
/// Source: ITU-T T.800, sections A.6.1, A.6.2 and B.5 to B.7.
struct JPEG2000Blocks {
    /// The coding of a component, as the segments COD and COC declare it.
    struct Coding {
        var layerCount = 1
        /// Half the resolutions of a tile, one after the other.
        let levelCount: Int
        let (blockWidth, blockHeight): (Int, Int)
        /// The exponents of the extents of a precinct, by its resolution; the largest where none are given.
        let precincts: [(width: Int, height: Int)]

        /// Reads what begins at `offset` of a segment: COD's from its fifth byte on, and COC's behind its style.
        init?(_ segment: Bytes, at offset: Int, hasPrecincts: Bool) {
            guard let levels = segment.byte(offset), levels <= 32, let width = segment.byte(offset + 1),
                let height = segment.byte(offset + 2), width <= 8, height <= 8
            else { return nil }
            levelCount = Int(levels)
            (blockWidth, blockHeight) = (Int(width) + 2, Int(height) + 2)
            precincts = (0...Int(levels)).map { level in
                guard hasPrecincts, let sizes = segment.byte(offset + 5 + level) else { return (15, 15) }
                return (Int(sizes & 15), Int(sizes >> 4))
            }
        }
    }

    private(set) var precinctCount = 0
    private(set) var blockCount = 0
    /// The largest number of precincts of a resolution.
    private var maximumPrecinctCount = 0

    /// The bytes of the library for a precinct in each of its bands, and for a code-block, with what finds them.
    private static let (precinctBytes, blockBytes) = (200, 420)

    /// Counts those of a part of a tile.
    ///
    /// - Parameter size: The samples of one component.
    init(_ coding: Coding, _ size: ImageSize) {
        for resolution in 0...coding.levelCount {
            let shift = coding.levelCount - resolution
            func reduced(_ extent: Int) -> Int { (extent - 1) >> shift + 1 }
            let (width, height) = (reduced(size.width), reduced(size.height))
            let precinct = coding.precincts[resolution]
            // A tile may begin within the first precinct.
            let count = (width >> precinct.width + 2) * (height >> precinct.height + 2)
            maximumPrecinctCount = max(maximumPrecinctCount, count)
            let isLowest = resolution == 0
            let bandCount = isLowest ? 1 : 3
            func blocks(_ extent: Int, _ precinct: Int, _ block: Int) -> Int {
                let (extent, precinct) = isLowest ? (extent, precinct) : ((extent + 1) / 2, max(0, precinct - 1))
                return extent >> min(block, precinct) + 2
            }
            precinctCount += count * bandCount
            blockCount +=
                blocks(width, precinct.width, coding.blockWidth) * blocks(height, precinct.height, coding.blockHeight)
                * bandCount
        }
    }

    /// The bytes that the library takes for these, and for a mark of each packet.
    func byteCount(_ coding: Coding) -> Int {
        let packets = maximumPrecinctCount.multipliedReportingOverflow(
            by: 2 * (coding.levelCount + 1) * (coding.layerCount + 1))
        let sum = (precinctCount * Self.precinctBytes + blockCount * Self.blockBytes)
            .addingReportingOverflow(packets.partialValue)
        return packets.overflow || sum.overflow ? .max : sum.partialValue
    }
}
