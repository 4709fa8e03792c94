import Glibc
import Images
import Models

/// A box that is turned, in pixels of a network's input.
package struct RotatedBox: Sendable, Equatable {
    /// The middle.
    package let center: SIMD2<Float>
    /// The length of the edge that the angle turns, and of the other.
    package let width, height: Float
    /// The angle by which the box is turned clockwise, in radians.
    package let angle: Float

    package init(center: SIMD2<Float>, width: Float, height: Float, angle: Float) {
        (self.center, self.width, self.height, self.angle) = (center, width, height, angle)
    }

    /// The corners, clockwise from the upper left of the box before it is turned.
    package var corners: [SIMD2<Float>] {
        let across = SIMD2(cos(angle), sin(angle)) * (width / 2)
        let down = SIMD2(-sin(angle), cos(angle)) * (height / 2)
        return [center - across - down, center + across - down, center + across + down, center - across + down]
    }

    /// The corners in a picture, in fractions of its width and height.
    ///
    /// Each axis is scaled by itself, and the angle stays, as in `scale_boxes` of
    /// https://github.com/ultralytics/ultralytics.
    ///
    /// - Parameters:
    ///   - placement: The place of the picture in the input.
    ///   - size: The size of the picture.
    func corners(_ placement: ImagePlacement, inputSize: ImageSize, in size: ImageSize) -> [SIMD2<Float>] {
        let input = SIMD2(Double(inputSize.width), Double(inputSize.height))
        let picture = SIMD2(Double(size.width), Double(size.height))
        let (start, end) = (placement.original(x: 0, y: 0), placement.original(x: 1, y: 1))
        let scale = SIMD2(end.x - start.x, end.y - start.y) * picture / input
        let middle = SIMD2(Double(center.x), Double(center.y)) * scale + SIMD2(start.x, start.y) * picture
        let placed = RotatedBox(
            center: SIMD2(Float(middle.x), Float(middle.y)), width: width * Float(scale.x),
            height: height * Float(scale.y), angle: angle)
        return placed.corners.map { $0 / SIMD2(Float(size.width), Float(size.height)) }
    }

    /// The box as a normal distribution in the plane: the covariance matrix [[a, c], [c, b]] of a uniform distribution
    /// over it.
    package struct Covariance: Sendable {
        let a, b, c: Float

        package init(_ box: RotatedBox) {
            let (across, down) = (box.width * box.width / 12, box.height * box.height / 12)
            let (cosine, sine) = (cos(box.angle), sin(box.angle))
            a = across * cosine * cosine + down * sine * sine
            b = across * sine * sine + down * cosine * cosine
            c = (across - down) * cosine * sine
        }
    }

    /// How much two boxes overlap, from 0 to 1: 1 − the Hellinger distance of their normal distributions.
    ///
    /// Source: `batch_probiou` of https://github.com/ultralytics/ultralytics, after https://arxiv.org/abs/2106.06072
    package func similarity(_ own: Covariance, to other: RotatedBox, _ others: Covariance) -> Float {
        let epsilon: Float = 1e-7
        let (a, b, c) = (own.a + others.a, own.b + others.b, own.c + others.c)
        let distance = center - other.center
        let determinant = a * b - c * c
        let first = (a * distance.y * distance.y + b * distance.x * distance.x) / (determinant + epsilon) * 0.25
        let second = -(c * distance.x * distance.y) / (determinant + epsilon) * 0.5
        let areas = max(own.a * own.b - own.c * own.c, 0) * max(others.a * others.b - others.c * others.c, 0)
        let third = log(determinant / (4 * areas.squareRoot() + epsilon) + epsilon) * 0.5
        let bhattacharyya = min(max(first + second + third, epsilon), 100)
        return 1 - (1 - exp(-bhattacharyya) + epsilon).squareRoot()
    }
}

extension NonMaximumSuppression {
    /// The positions of turned boxes that are kept, by falling confidence. A box is left out when it overlaps with any
    /// that has more confidence, also with one that is left out.
    ///
    /// Source: `TorchNMS.fast_nms` of https://github.com/ultralytics/ultralytics
    ///
    /// - Parameter order: The positions of the boxes, by falling confidence.
    func positions(ofRotated boxes: [RotatedBox], _ candidates: [ObjectCandidate], _ order: [Int]) -> [Int] {
        let covariances = boxes.map(RotatedBox.Covariance.init)
        var kept: [Int] = []
        for (place, position) in order.enumerated() {
            if kept.count >= maximumCount { break }
            let (box, classIndex) = (boxes[position], candidates[position].classIndex)
            let isSuppressed = order[..<place].contains { other in
                (isClassAgnostic || candidates[other].classIndex == classIndex)
                    && boxes[other].similarity(covariances[other], to: box, covariances[position]) > threshold
            }
            if !isSuppressed { kept.append(position) }
        }
        return kept
    }
}
