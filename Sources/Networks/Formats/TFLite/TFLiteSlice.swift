/// A slice along each axis in ONNX's terms, and the axes that it drops and adds.
struct TFLiteSlice {
    var starts: [SliceBound]
    var ends: [SliceBound]
    var steps: [Int]
    var axes: [Int]
    /// Axes of extent 1 that are dropped.
    var dropped: [Int] = []
    /// Axes of extent 1 that are added, by their positions in the result.
    var added: [Int] = []

    /// Whether some bounds are known only in a run.
    var isOpen: Bool { (starts + ends).contains { $0.number == nil } }

    init(starts: [SliceBound], ends: [SliceBound], steps: [Int], axes: [Int]) {
        self.starts = starts
        self.ends = ends
        self.steps = steps
        self.axes = axes
    }

    /// Reads STRIDED_SLICE. Its masks tell for each entry whether it begins at the start of an axis, ends at its end,
    /// takes several axes whole, adds an axis, or selects a single element.
    init(strided node: TFLiteNode, begins: [Int?], ends: [Int?], strides: [Int], rank: Int) throws(FormatError) {
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
                starts.append(begin.map { .fixed($0) } ?? .begin(entry))
                self.ends.append(begin.map { .fixed($0 == -1 ? SliceBound.last : $0 &+ 1) } ?? .behind(entry))
                steps.append(1)
                dropped.append(axis)
            } else {
                var end = ends[entry].map { .fixed($0) } ?? SliceBound.end(entry)
                if isOffset {
                    end = .sum(entry)
                    if let begin, let offset = ends[entry] { end = .fixed(begin &+ offset) }
                }
                let start = begin.map { .fixed($0) } ?? SliceBound.begin(entry)
                starts.append(isSet(beginMask, entry) ? .fixed(step > 0 ? 0 : SliceBound.last) : start)
                self.ends.append(isSet(endMask, entry) ? .fixed(step > 0 ? SliceBound.last : Int(Int32.min)) : end)
                steps.append(step)
                result += 1
            }
            axes.append(axis)
            axis += 1
        }
    }
}
