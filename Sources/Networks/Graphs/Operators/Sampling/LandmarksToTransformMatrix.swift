import Tensors

#if canImport(Glibc)
    import Glibc
#endif

/// The transform that maps the pixels of a feature map to the upright box around some landmarks.
///
/// With the angle θ = target − atan2(y_r − y_l, x_r − x_l) from the left to the right landmark, R(θ) turned points,
/// their least and largest coordinates a and b, the extents e = b − a, and the size s of the feature map:
///
///     A = R(−θ) · diag(scale · e / s),  c = R(−θ) · (a + b) / 2 − A · s / 2
///     y = [A₀₀ A₀₁ 0 c₀; A₁₀ A₁₁ 0 c₁; 0 0 1 0; 0 0 0 1]
///
/// Shapes: landmarks [N, L, 2 or more] (x, y, …) → [N, 4, 4].
/// Attributes: those of the custom operator `Landmarks2TransformMatrix`.
/// Numerics: float64.
/// Reference: `mediapipe/util/tflite/operations/landmarks_to_transform_matrix.cc` of
/// https://github.com/google-ai-edge/mediapipe
package struct LandmarksToTransformMatrix: Operator {
    package static let name = "LandmarksToTransformMatrix"
    package static let domain = "apus"
    package static let inputCount = 1...1
    /// The landmarks that the box contains.
    package var subset: [Int]
    /// The landmarks that lie on a level line in the box.
    package var left: Int
    package var right: Int
    /// The angle of that line in radians.
    package var target: Float
    /// The factors by which the box is larger: along x, and along y.
    package var scales: [Float]
    /// The width and the height of the feature map.
    package var size: [Int]

    private static let maximumExtent = 1 << 20

    /// Makes an operator.
    ///
    /// - Throws: ``OperatorError`` naming the option that is out of range.
    package init(
        subset: [Int], left: Int, right: Int, target: Float, scales: [Float], size: [Int]
    ) throws(OperatorError) {
        (self.subset, self.left, self.right) = (subset, left, right)
        (self.target, self.scales, self.size) = (target, scales, size)
        guard !subset.isEmpty else { throw .invalid("its box is around no landmarks") }
        if let index = (subset + [left, right]).first(where: { !(0..<Self.maximumExtent).contains($0) }) {
            throw .invalid("there is no landmark \(index)")
        }
        guard size.count == 2, size.allSatisfy({ (1...Self.maximumExtent).contains($0) }) else {
            throw .invalid("the feature map's size is \(size)")
        }
        guard target.isFinite, scales.count == 2, scales.allSatisfy({ $0.isFinite && $0 > 0 }) else {
            throw .invalid("the angle is \(target) and the scales are \(scales); positive scales are expected")
        }
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        [
            "subset_idxs": .ints(subset.map(Int64.init)), "left_rotation_idx": .int(Int64(left)),
            "right_rotation_idx": .int(Int64(right)), "target_rotation_radians": .float(target),
            "scale_x": .float(scales[0]), "scale_y": .float(scales[1]), "output_width": .int(Int64(size[0])),
            "output_height": .int(Int64(size[1])),
        ]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let landmarks = try inputs.floatingPoint(0)
        guard landmarks.rank == 3, landmarks.shape[2] >= 2 else {
            throw .invalid("landmarks \(landmarks.shape) are not [N, L, 2 or more]")
        }
        if let index = (subset + [left, right]).max(), index >= landmarks.shape[1] {
            throw .invalid("there is no landmark \(index) of \(landmarks.shape[1])")
        }
        return [TensorType(landmarks.elementType, [landmarks.shape[0], 4, 4])]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let images = outputs.first?.shape.first ?? 0
        return OperatorCost(
            multiplyAdds: [images, subset.count, 4].saturatingProduct, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let landmarks = try inputs.required(0)
        let numbers = landmarks.float64Elements
        let (count, extent) = (landmarks.shape[1], landmarks.shape[2])
        let y = try Tensor(outputTypes[0]) { y in
            for image in 0..<outputTypes[0].shape[0] {
                let matrix = matrix { index in
                    let first = (image * count + index) * extent
                    return SIMD2(numbers[first], numbers[first + 1])
                }
                for (position, element) in matrix.enumerated() { y[16 * image + position] = element }
            }
        }
        return [y]
    }

    /// The 16 elements of the matrix for one image.
    private func matrix(_ landmark: (Int) -> SIMD2<Double>) -> [Double] {
        let line = landmark(right) - landmark(left)
        let angle = Double(target) - atan2(line.y, line.x)
        let (cosine, sine) = (cos(angle), sin(angle))
        let turned = subset.map { index in
            let point = landmark(index)
            return SIMD2(cosine * point.x - sine * point.y, sine * point.x + cosine * point.y)
        }
        let least = turned.dropFirst().reduce(turned[0]) { pointwiseMin($0, $1) }
        let largest = turned.dropFirst().reduce(turned[0]) { pointwiseMax($0, $1) }
        let size = SIMD2(Double(self.size[0]), Double(self.size[1]))
        let scale = SIMD2(Double(scales[0]), Double(scales[1])) * (largest - least) / size
        let rows = [SIMD2(cosine, sine), SIMD2(-sine, cosine)]
        let middle = (least + largest) / 2
        let shifts = rows.map { row in (row * middle).sum() - (row * scale * size / 2).sum() }
        return [
            rows[0].x * scale.x, rows[0].y * scale.y, 0, shifts[0],
            rows[1].x * scale.x, rows[1].y * scale.y, 0, shifts[1],
            0, 0, 1, 0,
            0, 0, 0, 1,
        ]
    }
}
