/// One of the parts into which an axis of a picture is cut, and what of it is kept.
///
/// Neighbours overlap, and are cut in the middle of what they share. The result is that of the whole picture where a
/// number of the output depends on no more than half the overlap of the input on each side.
struct TileSpan: Equatable {
    /// What the network sees; beyond the picture's extent, the picture is mirrored.
    let seen: Range<Int>
    /// What of the picture comes from this part.
    let kept: Range<Int>
    /// Whether the picture ends in this part.
    let isLast: Bool

    /// The parts of an axis.
    ///
    /// - Parameters:
    ///   - extent: The picture's extent.
    ///   - tile: The extent of each part; nil for one part.
    ///   - overlap: The least extent that neighbours share, below that of a part.
    ///   - multiple: Extents and places of parts are multiples of it.
    ///   - isFilled: Whether a picture that is smaller than a part is mirrored up to the part's extent.
    static func spans(of extent: Int, tile: Int?, overlap: Int, multiple: Int, isFilled: Bool) -> [TileSpan] {
        func raised(_ count: Int) -> Int { (count + multiple - 1) / multiple * multiple }
        let padded = raised(extent)
        guard let tile, padded > tile else {
            return [TileSpan(seen: 0..<(isFilled ? tile ?? padded : padded), kept: 0..<extent, isLast: true)]
        }
        let step = max(multiple, (tile - overlap) / multiple * multiple)
        var starts = Array(stride(from: 0, to: padded - tile, by: step))
        starts.append(padded - tile)
        // A boundary is a multiple too, so that it lies between numbers of outputs that are smaller.
        let ends = zip(starts, starts.dropFirst()).map { ($0 + tile + $1) / 2 / multiple * multiple } + [extent]
        return zip(starts, zip([0] + ends, ends)).map { start, kept in
            TileSpan(seen: start..<start + tile, kept: kept.0..<kept.1, isLast: kept.1 == extent)
        }
    }
}
