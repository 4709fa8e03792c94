import Tensors

/// The rounded mean of the quantized numbers under a window, without padding.
///
/// Shapes: those of ``AveragePool``.
/// Attributes: those of ``SpatialWindow``, `y_range`.
/// Numerics: sums are exact; the quotient is rounded, halves away from zero. A window that lies wholly in the padding
/// gives the number in the range that is nearest to 0.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerAveragePool: Pooling {
    package static let name = "IntegerAveragePool"
    package static let domain = "apus"
    package static let inputCount = 1...1
    package var window: SpatialWindow
    /// The range of the result, including an activation.
    package var range: ClosedRange<Int32>

    package init(window: SpatialWindow, range: ClosedRange<Int32>) {
        self.window = window
        self.range = range
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        var values = window.attributes
        values["y_range"] = .ints([Int64(range.lowerBound), Int64(range.upperBound)])
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try pooledType(try inputs.quantized(0))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let geometry = try geometry(x: x.shape).inThreeAxes()
        let pixels = x.elements(as: Int32.self)
        var values = [Int64](repeating: 0, count: outputTypes[0].elementCount)
        forEachWindow(x, geometry) { position, plane, origin in
            var (sum, count) = (Int64(0), Int64(0))
            geometry.forEachTap(at: origin) { tap in
                sum += Int64(pixels[plane + tap])
                count += 1
            }
            let mean = count == 0 ? 0 : (sum > 0 ? sum + count / 2 : sum - count / 2) / count
            values[position] = min(max(mean, Int64(range.lowerBound)), Int64(range.upperBound))
        }
        return [try Tensor(values, as: x.elementType, shape: outputTypes[0].shape)]
    }
}
