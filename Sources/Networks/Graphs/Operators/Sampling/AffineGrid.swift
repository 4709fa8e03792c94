import Tensors

/// The coordinates from which an affine map takes each element of an image, in the form of GridSample.
///
/// y[n, h, w] = theta[n] · (x, y, 1), the coordinates of element (h, w) from −1 to 1, x first.
///
/// Shapes: theta [N, 2, 3], size [4]: N, C, H, W → [N, H, W, 2]; theta [N, 3, 4], size [5]: N, C, D, H, W → [N, D, H,
/// W, 3].
/// Attributes: `align_corners` (0: −1 and 1 are the edges of the outer elements; 1: their centres).
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__AffineGrid.html
package struct AffineGrid: Operator {
    package static let name = "AffineGrid"
    package static let inputCount = 2...2
    package var alignsCorners: Bool

    package init(alignsCorners: Bool = false) {
        self.alignsCorners = alignsCorners
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alignsCorners = try attributes.bool("align_corners", default: false)
    }

    package var attributes: [String: AttributeValue] { alignsCorners ? ["align_corners": .int(1)] : [:] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let theta = try inputs.floatingPoint(0)
        guard let size = try inputs.integers(1, "size") else { throw .invalid("input 1 is missing") }
        let axes = size.count - 2
        guard axes == 2 || axes == 3, size.allSatisfy({ $0 >= 0 }), theta.shape == [size[0], axes, axes + 1] else {
            throw .invalid("theta \(theta.shape) does not fit size \(size)")
        }
        return [TensorType(theta.elementType, [size[0]] + size.dropFirst(2) + [axes])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let theta = try inputs.required(0).float64Elements
        let type = outputTypes[0]
        let extents = Array(type.shape[1..<type.rank - 1])
        let axes = extents.count
        try Tensor.claim(type.shape)
        let positions = extents.map { extent in (0..<extent).map { coordinate($0, extent) } }
        let y = try Tensor(type) { y in
            let points = extents.elementCount
            for point in 0..<(y.isEmpty ? 0 : type.shape[0] * points) {
                var rest = point % points
                var coordinates = [Double](repeating: 1, count: axes + 1)
                for axis in extents.indices.reversed() {
                    coordinates[axes - 1 - axis] = positions[axis][rest % extents[axis]]
                    rest /= extents[axis]
                }
                for row in 0..<axes {
                    let first = (point / points * axes + row) * (axes + 1)
                    var sum = 0.0
                    for column in 0...axes { sum += theta[first + column] * coordinates[column] }
                    y[point * axes + row] = sum
                }
            }
        }
        return [y]
    }

    /// The coordinate in −1...1 of a position along an axis.
    private func coordinate(_ index: Int, _ extent: Int) -> Double {
        let doubled = 2 * Double(index)
        guard alignsCorners else { return (doubled + 1) / Double(extent) - 1 }
        return extent > 1 ? doubled / Double(extent - 1) - 1 : -1
    }
}
