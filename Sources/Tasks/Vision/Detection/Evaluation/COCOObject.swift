import Glibc
import Images
import Predicting

/// A marked or found object, as it is compared.
struct COCOObject: Sendable {
    /// What is compared.
    enum Content: Sendable {
        case box([Double])
        case mask(RunLengths)
        /// The points; the box of a marked object, and the number of its points that are marked.
        case points([Double], box: [Double])
    }

    let content: Content
    let area: Double
    let isCrowd: Bool
    /// Whether the object is neither to be found nor missed, whatever its area.
    let isIgnored: Bool
    /// The confidence of a result.
    let score: Double

    /// The overlap of a result with a marked object: the shared area ÷ the area of both; with a crowd, ÷ the result's.
    func overlap(with marked: COCOObject) -> Double {
        switch (content, marked.content) {
        case (.box(let a), .box(let b)): Self.overlap(a, b, isCrowd: marked.isCrowd)
        case (.mask(let a), .mask(let b)): Self.overlap(a, b, isCrowd: marked.isCrowd)
        case (.points(let a, _), .points(let b, let box)): Self.similarity(a, to: b, box, area: marked.area)
        default: 0
        }
    }

    private static func overlap(_ a: [Double], _ b: [Double], isCrowd: Bool) -> Double {
        let width = min(a[2] + a[0], b[2] + b[0]) - max(a[0], b[0])
        let height = min(a[3] + a[1], b[3] + b[1]) - max(a[1], b[1])
        guard width > 0, height > 0 else { return 0 }
        let shared = width * height
        return shared / (isCrowd ? a[2] * a[3] : a[2] * a[3] + b[2] * b[3] - shared)
    }

    private static func overlap(_ a: RunLengths, _ b: RunLengths, isCrowd: Bool) -> Double {
        guard a.size == b.size else { return -1 }
        let shared = a.intersectionArea(with: b)
        guard shared > 0 else { return 0 }
        return Double(shared) / Double(isCrowd ? a.area : a.area + b.area - shared)
    }

    /// COCO's similarity of points: the mean over the marked ones of exp(−d² ÷ (2·(2σ)²·area)), d being the distance.
    /// Where no point is marked, d is that to a box of three times the size.
    private static func similarity(_ a: [Double], to b: [Double], _ box: [Double], area: Double) -> Double {
        let scales = COCORules.pointScales
        let isMarked = scales.indices.contains { b[$0 * 3 + 2] > 0 }
        let (left, right) = (box[0] - box[2], box[0] + box[2] * 2)
        let (top, bottom) = (box[1] - box[3], box[1] + box[3] * 2)
        var (sum, count) = (0.0, 0.0)
        for (point, scale) in scales.enumerated() where !isMarked || b[point * 3 + 2] > 0 {
            let (x, y) = (a[point * 3], a[point * 3 + 1])
            let dx = isMarked ? x - b[point * 3] : max(0, left - x) + max(0, x - right)
            let dy = isMarked ? y - b[point * 3 + 1] : max(0, top - y) + max(0, y - bottom)
            let variance = (scale * 2) * (scale * 2)
            sum += exp(-((dx * dx + dy * dy) / variance / (area + 0x1p-52) / 2))
            count += 1
        }
        return sum / count
    }
}
