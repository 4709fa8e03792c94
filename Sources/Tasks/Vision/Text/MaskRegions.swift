import Images

/// The connected regions of equal pixels in a mask.
struct MaskRegions {
    /// A run of pixels in one row.
    struct Run {
        let row: Int
        let columns: Range<Int>
    }

    /// The runs of each region, row by row; regions are in the order of their first pixels.
    let regions: [[Run]]

    /// - Parameters:
    ///   - mask: The pixels, row after row.
    ///   - isSet: Which pixels form regions.
    ///   - joinsDiagonally: Whether pixels that touch at a corner belong together.
    init(_ mask: [Bool], width: Int, of isSet: Bool, joinsDiagonally: Bool) {
        var runs: [Run] = []
        var parents: [Int] = []
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index {
                parents[index] = parents[parents[index]]
                index = parents[index]
            }
            return index
        }
        let reach = joinsDiagonally ? 1 : 0
        var above = 0..<0
        for row in 0..<(width > 0 ? mask.count / width : 0) {
            let first = runs.count
            var upper = above.lowerBound
            for columns in Self.columns(of: mask[row * width..<(row + 1) * width], isSet) {
                let index = runs.count
                runs.append(Run(row: row, columns: columns))
                parents.append(index)
                while upper < above.upperBound, runs[upper].columns.upperBound + reach <= columns.lowerBound {
                    upper += 1
                }
                var next = upper
                while next < above.upperBound, runs[next].columns.lowerBound < columns.upperBound + reach {
                    let (a, b) = (root(next), root(index))
                    parents[max(a, b)] = min(a, b)
                    next += 1
                }
            }
            above = first..<runs.count
        }
        var places: [Int: Int] = [:]
        var found: [[Run]] = []
        for index in runs.indices {
            let root = root(index)
            if let place = places[root] {
                found[place].append(runs[index])
            } else {
                places[root] = found.count
                found.append([runs[index]])
            }
        }
        regions = found
    }

    private static func columns(of row: ArraySlice<Bool>, _ isSet: Bool) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        for (column, pixel) in row.enumerated() {
            if pixel == isSet {
                if start == nil { start = column }
            } else if let begin = start {
                found.append(begin..<column)
                start = nil
            }
        }
        if let start { found.append(start..<row.count) }
        return found
    }
}
