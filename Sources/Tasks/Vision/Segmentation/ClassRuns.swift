import Images
import Predicting
import Tensors

/// The runs and boxes of all classes of a picture, collected column after column.
struct ClassRuns {
    private struct Pixels {
        /// The ends of runs: outside, inside, outside, …
        var counts: [Int] = []
        /// The position after the last run.
        var end = 0
        var left = Int.max, right = 0, top = Int.max, bottom = 0
    }

    private var classes: [Int: Pixels] = [:]
    private let size: ImageSize

    /// - Parameter pixels: The class of every pixel, row after row.
    init<Element: FixedWidthInteger>(_ pixels: borrowing [Element], size: ImageSize) {
        self.size = size
        let (width, height) = (size.width, size.height)
        var (start, current) = (0, -1)
        for column in 0..<width {
            for row in 0..<height {
                let found = Int(pixels[row * width + column])
                guard found != current else { continue }
                add(current, start..<column * height + row)
                (start, current) = (column * height + row, found)
            }
        }
        add(current, start..<width * height)
    }

    private mutating func add(_ index: Int, _ run: Range<Int>) {
        guard index >= 0, !run.isEmpty else { return }
        var pixels = classes[index] ?? Pixels()
        pixels.counts += [run.lowerBound - pixels.end, run.count]
        pixels.end = run.upperBound
        let (first, last) = (run.lowerBound / size.height, (run.upperBound - 1) / size.height)
        pixels.left = min(pixels.left, first)
        pixels.right = max(pixels.right, last + 1)
        // A run over the end of a column reaches both edges.
        pixels.top = min(pixels.top, first == last ? run.lowerBound % size.height : 0)
        pixels.bottom = max(pixels.bottom, first == last ? (run.upperBound - 1) % size.height + 1 : size.height)
        classes[index] = pixels
    }

    /// The segments in the order of the classes.
    ///
    /// - Parameter label: The name of a class.
    func segments(besides left: Set<Int>, label: (Int) -> String?) -> [Segment] {
        let total = size.width * size.height
        return classes.keys.sorted().filter { !left.contains($0) }.compactMap { index in
            guard let pixels = classes[index] else { return nil }
            let rest = total - pixels.end
            let (width, height) = (Float(size.width), Float(size.height))
            let box = NormalizedBox(
                x: Float(pixels.left) / width, y: Float(pixels.top) / height,
                width: Float(pixels.right - pixels.left) / width,
                height: Float(pixels.bottom - pixels.top) / height)
            return Segment(
                index: index, label: label(index), box: box,
                runs: RunLengths(size: size, counts: pixels.counts + (rest > 0 ? [rest] : [])))
        }
    }
}
