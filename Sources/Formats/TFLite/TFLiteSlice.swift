/// A slice along each axis in ONNX's terms, and the axes that it drops and adds.
struct TFLiteSlice {
    var starts: [Int]
    var ends: [Int]
    var steps: [Int]
    var axes: [Int]
    /// Axes of extent 1 that are dropped.
    var dropped: [Int] = []
    /// Axes of extent 1 that are added, by their positions in the result.
    var added: [Int] = []

    init(starts: [Int], ends: [Int], steps: [Int], axes: [Int]) {
        self.starts = starts
        self.ends = ends
        self.steps = steps
        self.axes = axes
    }

    /// Reads STRIDED_SLICE. Its masks tell for each entry whether it begins at the start of an axis, ends at its end,
    /// takes several axes whole, adds an axis, or selects a single element.
    init(strided node: TFLiteNode, begins: [Int], ends: [Int], strides: [Int], rank: Int) throws(FormatError) {
        guard begins.count == ends.count, begins.count == strides.count, begins.count <= 16 else {
            throw node.invalid("\(begins.count) begins, \(ends.count) ends and \(strides.count) strides")
        }
        self.init(starts: [], ends: [], steps: [], axes: [])
        let (beginMask, endMask, ellipsisMask) = (try node.int(0), try node.int(1), try node.int(2))
        let (newMask, shrinkMask) = (try node.int(3), try node.int(4))
        let isOffset = try node.bool(5)
        func isSet(_ mask: Int, _ entry: Int) -> Bool { mask >> entry & 1 == 1 }
        let news = begins.indices.count { isSet(newMask, $0) && !isSet(ellipsisMask, $0) }
        var (axis, result) = (0, 0)
        for entry in begins.indices {
            if isSet(ellipsisMask, entry) {
                let skipped = max(0, rank - (begins.count - 1 - news))
                axis += skipped
                result += skipped
                continue
            }
            if isSet(newMask, entry) {
                added.append(result)
                result += 1
                continue
            }
            guard axis < rank else { throw node.invalid("\(begins.count) entries do not fit \(rank) axes") }
            let (begin, step) = (begins[entry], strides[entry])
            guard step != 0 else { throw node.invalid("a stride is 0") }
            if isSet(shrinkMask, entry) {
                starts.append(begin)
                self.ends.append(begin == -1 ? Int(Int32.max) : begin &+ 1)
                steps.append(1)
                dropped.append(axis)
            } else {
                let end = isOffset ? begin &+ ends[entry] : ends[entry]
                starts.append(isSet(beginMask, entry) ? (step > 0 ? 0 : Int(Int32.max)) : begin)
                self.ends.append(isSet(endMask, entry) ? (step > 0 ? Int(Int32.max) : Int(Int32.min)) : end)
                steps.append(step)
                result += 1
            }
            axes.append(axis)
            axis += 1
        }
    }
}
