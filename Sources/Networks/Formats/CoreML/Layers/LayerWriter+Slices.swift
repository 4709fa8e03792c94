import Graphs

/// A range with a step along every axis, as in both dialects.
struct SliceRange {
    var starts: [SliceBound]
    var ends: [SliceBound]
    var strides: [Int]
    /// The axes that keep only their first element, and are removed.
    private(set) var squeezedAxes: [Int] = []

    /// Limits beyond the first and the last element of an axis, used where a begin or end is left open.
    static let (first, last) = (Int(Int32.min), Int(Int32.max))

    /// - Parameters:
    ///   - beginMask: True where the range begins with the axis; missing elements are false.
    ///   - endMask: True where the range ends with the axis.
    ///   - squeezeMask: True where an axis keeps only its first element, and is removed.
    /// - Throws: ``FormatError`` when the counts of begins, ends and strides differ.
    init(
        starts: [Int?], ends: [Int?], strides: [Int], beginMask: [Bool], endMask: [Bool], squeezeMask: [Bool]
    ) throws(FormatError) {
        guard starts.count == ends.count, strides.count == starts.count else {
            throw .invalid("\(starts.count) begins, \(ends.count) ends and \(strides.count) strides")
        }
        self.starts = starts.enumerated().map { axis, start in start.map { .fixed($0) } ?? .begin(axis) }
        self.ends = ends.enumerated().map { axis, end in end.map { .fixed($0) } ?? .end(axis) }
        self.strides = strides
        func isSet(_ masks: [Bool], _ axis: Int) -> Bool { axis < masks.count && masks[axis] }
        for axis in starts.indices {
            if isSet(squeezeMask, axis) {
                squeezedAxes.append(axis)
                if isSet(beginMask, axis) { self.starts[axis] = .fixed(0) }
                let start = self.starts[axis].number
                self.ends[axis] = start.map { .fixed($0 == -1 ? Self.last : $0 &+ 1) } ?? .behind(axis)
                self.strides[axis] = 1
                continue
            }
            if isSet(beginMask, axis) { self.starts[axis] = .fixed(strides[axis] > 0 ? 0 : Self.last) }
            if isSet(endMask, axis) { self.ends[axis] = .fixed(strides[axis] > 0 ? Self.last : Self.first) }
        }
    }
}

extension LayerWriter {
    /// Takes ranges of some axes.
    ///
    /// - Parameter steps: The steps of the ranges; 1 each where it is nil.
    mutating func sliced(
        _ x: Graph.ValueID, from starts: [Int], to ends: [Int], axes: [Int], steps: [Int]? = nil
    ) throws(FormatError) -> Graph.ValueID {
        var inputs = [
            x, try constant(integers: starts, "starts"), try constant(integers: ends, "ends"),
            try constant(integers: axes, "axes"),
        ]
        if let steps { inputs.append(try constant(integers: steps, "steps")) }
        return try apply(Slice(), inputs)
    }

    /// - Parameters:
    ///   - begins: The vector of begins, where the range has some that are known only in a run.
    ///   - ends: The vector of ends.
    mutating func sliced(
        _ x: Graph.ValueID, _ range: SliceRange, begins: Graph.ValueID? = nil, ends: Graph.ValueID? = nil
    ) throws(FormatError) -> Graph.ValueID {
        let inputs = [
            x, try bounds(range.starts, begins: begins, ends: ends), try bounds(range.ends, begins: begins, ends: ends),
            try constant(integers: Array(range.starts.indices), "axes"),
            try constant(integers: range.strides, "steps"),
        ]
        let result = try apply(Slice(), inputs)
        return range.squeezedAxes.isEmpty ? result : try squeezed(result, axes: range.squeezedAxes)
    }

    /// Reverses some axes.
    mutating func reversed(_ x: Graph.ValueID, axes: [Int]) throws(FormatError) -> Graph.ValueID {
        try sliced(
            x, from: axes.map { _ in SliceRange.last }, to: axes.map { _ in SliceRange.first }, axes: axes,
            steps: axes.map { _ in -1 })
    }
}
