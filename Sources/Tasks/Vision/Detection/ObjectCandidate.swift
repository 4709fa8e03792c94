import Images
import Predicting

/// A box that a decoder reads from a network's outputs, before suppression.
package struct ObjectCandidate: Sendable, Equatable {
    /// The edges in fractions of the network's input, from its upper left corner.
    package var left, top, right, bottom: Float
    /// The confidence in the best class.
    package var confidence: Float
    /// The best class.
    package var classIndex: Int
    /// The confidence in every class; empty when the network gives only the best class.
    package var scores: [Float]
    /// The points that belong to the object, in fractions of the network's input; empty for most families.
    package var points: [SIMD2<Float>] = []
    /// The box itself where it is turned, and the edges are those around it.
    package var rotated: RotatedBox?

    package init(
        left: Float, top: Float, right: Float, bottom: Float, confidence: Float, classIndex: Int, scores: [Float] = []
    ) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        self.confidence = confidence
        self.classIndex = classIndex
        self.scores = scores
    }

    /// Makes a box around a center.
    package init(
        centerX: Float, centerY: Float, width: Float, height: Float, confidence: Float, classIndex: Int,
        scores: [Float]
    ) {
        self.init(
            left: centerX - width / 2, top: centerY - height / 2, right: centerX + width / 2,
            bottom: centerY + height / 2, confidence: confidence, classIndex: classIndex, scores: scores)
    }

    /// Whether every edge is finite and the area is positive.
    package var isSound: Bool {
        [left, top, right, bottom].allSatisfy(\.isFinite) && right > left && bottom > top
    }

    /// The part of the box that lies in the upright picture; nil when there is none.
    ///
    /// - Parameter placement: The place of the picture in the input.
    func box(_ placement: ImagePlacement) -> NormalizedBox? { wholeBox(placement).clipped }

    /// The box, also where it lies beyond the upright picture.
    func wholeBox(_ placement: ImagePlacement) -> NormalizedBox {
        let start = placement.original(x: Double(left), y: Double(top))
        let end = placement.original(x: Double(right), y: Double(bottom))
        return NormalizedBox(
            x: Float(start.x), y: Float(start.y), width: Float(end.x - start.x), height: Float(end.y - start.y))
    }

    private var area: Float { (right - left) * (bottom - top) }

    /// The area that both boxes cover ÷ the area that either covers.
    package func intersectionOverUnion(with other: ObjectCandidate) -> Float {
        let width = min(right, other.right) - max(left, other.left)
        let height = min(bottom, other.bottom) - max(top, other.top)
        guard width > 0, height > 0 else { return 0 }
        let shared = width * height
        return shared / (area + other.area - shared)
    }

    /// The position and value of the largest score; nil for no scores. NaN is ignored.
    package static func best(_ scores: some Collection<Float>) -> (index: Int, score: Float)? {
        var best: (index: Int, score: Float)?
        for (index, score) in scores.enumerated() where score > best?.score ?? -.infinity { best = (index, score) }
        return best
    }
}
