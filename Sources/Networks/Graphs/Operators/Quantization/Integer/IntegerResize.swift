import Tensors

/// Bilinear resizing of quantized images, which keeps their quantization.
///
/// y = round(Σ x · wᵧ · wₓ / 2²⁰) with weights of 10 fractional bits, halves away from zero; for uint8, whose kernel
/// uses float32, y = ⌊Σ x · wᵧ · wₓ + 1/2⌋.
///
/// Shapes: x [N, C, H, W] → [N, C, size[0], size[1]]. Without `size`, a second input holds it.
/// Attributes: `size`, `align_corners`, `half_pixel_centers`.
/// Numerics: in fixed point the step between positions is rounded to 10 bits.
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/kernels/internal/reference/resize_bilinear.h
package struct IntegerResize: Operator {
    package static let name = "IntegerResize"
    package static let domain = "apus"
    package static let inputCount = 1...2
    /// Height and width of the result; empty where the second input holds them.
    package var size: [Int]
    package var alignsCorners: Bool
    package var hasHalfPixels: Bool

    package init(size: [Int], alignsCorners: Bool, hasHalfPixels: Bool) {
        self.size = size
        self.alignsCorners = alignsCorners
        self.hasHalfPixels = hasHalfPixels
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        [
            "size": .ints(size.map(Int64.init)), "align_corners": .int(alignsCorners ? 1 : 0),
            "half_pixel_centers": .int(hasHalfPixels ? 1 : 0),
        ]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.quantized(0)
        let size = self.size.isEmpty ? try inputs.integers(1, "size") ?? [] : self.size
        // Positions have 31 bits, 10 of which are fractional.
        guard x.rank == 4, x.elementType.quantizedRange != nil, size.count == 2,
            (x.shape[2...] + size).allSatisfy({ (1..<1 << 20).contains($0) })
        else { throw .invalid("\(x) cannot be resized to \(size)") }
        return [TensorType(x.elementType, x.shape[..<2] + size)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        OperatorCost(multiplyAdds: (outputs[0].shape + [4]).saturatingProduct, inputs: inputs, outputs: outputs)
    }

    /// The two elements between which an element of the result lies.
    package struct Position: Sendable, BitwiseCopyable {
        package let lower: Int32
        package let upper: Int32
        /// The share of the upper element, in units of 2⁻¹⁰.
        package let share: Int32
        /// The share in float32, which is below 0 before the first centre.
        package let fraction: Float
    }

    /// The positions in the image of the result's elements along an axis.
    package func positions(input: Int, output: Int, usesFloat32: Bool) -> [Position] {
        let (spaces, steps) = alignsCorners && output > 1 ? (input - 1, output - 1) : (input, output)
        let step = (spaces << 10 + steps / 2) / steps
        let scale = Float(spaces) / Float(steps)
        return (0..<output).map { index in
            let place = max(index * step + (hasHalfPixels ? step / 2 - 1 << 9 : 0), 0)
            let lower = min(place >> 10, input - 1)
            let exact = hasHalfPixels ? (Float(index) + 0.5) * scale - 0.5 : Float(index) * scale
            let below = min(max(Int(exact.rounded(.down)), 0), input - 1)
            return Position(
                lower: Int32(usesFloat32 ? below : lower),
                upper: Int32(usesFloat32 ? min(max(Int(exact.rounded(.up)), 0), input - 1) : min(lower + 1, input - 1)),
                share: Int32(min(place - lower << 10, 1 << 10)), fraction: exact - Float(below))
        }
    }

    /// The weighted mean of four elements: top left, top right, bottom left, bottom right.
    @inline(__always)
    package static func interpolate(
        _ a: Int64, _ b: Int64, _ c: Int64, _ d: Int64, _ row: Position, _ column: Position
    ) -> Int64 {
        let (y, x) = (Int64(row.share), Int64(column.share))
        let sum = (a * (1024 - y) + c * y) * (1024 - x) + (b * (1024 - y) + d * y) * x
        return (sum + (sum > 0 ? 1 << 19 : -1 << 19)) / 1 << 20
    }

    /// The weighted mean of four elements in float32.
    @inline(__always)
    package static func interpolate(
        float a: Float, _ b: Float, _ c: Float, _ d: Float, _ row: Position, _ column: Position
    ) -> Int64 {
        let (y, x) = (row.fraction, column.fraction)
        let left = a * (1 - y) * (1 - x) + c * y * (1 - x)
        return Int64(left + b * (1 - y) * x + d * y * x + 0.5)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let usesFloat32 = x.elementType == .uint8
        let rows = positions(input: x.shape[2], output: outputTypes[0].shape[2], usesFloat32: usesFloat32)
        let columns = positions(input: x.shape[3], output: outputTypes[0].shape[3], usesFloat32: usesFloat32)
        let range = x.elementType.quantizedRange ?? 0...0
        let (pixels, width) = (x.elements(as: Int64.self), x.shape[3])
        try Tensor.claim(outputTypes[0].shape)
        var values: [Int64] = []
        values.reserveCapacity(outputTypes[0].elementCount)
        for plane in stride(from: 0, to: pixels.count, by: x.shape[2] * width) {
            for row in rows {
                let (top, bottom) = (plane + Int(row.lower) * width, plane + Int(row.upper) * width)
                for column in columns {
                    let (left, right) = (Int(column.lower), Int(column.upper))
                    let (a, b) = (pixels[top + left], pixels[top + right])
                    let (c, d) = (pixels[bottom + left], pixels[bottom + right])
                    let value =
                        usesFloat32
                        ? Self.interpolate(float: Float(a), Float(b), Float(c), Float(d), row, column)
                        : Self.interpolate(a, b, c, d, row, column)
                    values.append(min(max(value, Int64(range.lowerBound)), Int64(range.upperBound)))
                }
            }
        }
        return [try Tensor(values, as: x.elementType, shape: outputTypes[0].shape)]
    }
}
