import Tensors

/// The positions of a tensor's elements that are not zero.
///
/// y[:, k] = the position of the k-th element that is not 0, in row-major order
///
/// Shapes: any of rank R → [R, number of elements that are not 0], int64; a scalar has one position and R = 1.
/// Reference: https://onnx.ai/onnx/operators/onnx__NonZero.html
package struct NonZero: DataDependentOperator, AttributeFree {
    package static let name = "NonZero"
    package static let inputCount = 1...1

    package init() {}

    package func evaluate(_ inputs: [Tensor?]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let shape = x.shape.isEmpty ? [1] : x.shape
        try Tensor.claim(x.shape)
        let found = positions(x)
        let strides = Shape.rowMajorStrides(shape)
        try Tensor.claim([shape.count, found.count])
        var coordinates: [Int64] = []
        coordinates.reserveCapacity(shape.count * found.count)
        for (extent, stride) in zip(shape, strides) {
            for position in found { coordinates.append(Int64(position / stride % extent)) }
        }
        return [try Tensor(coordinates, shape: [shape.count, found.count])]
    }

    private func positions(_ x: Tensor) -> [Int] {
        func search<Element: TensorElement>(_: Element.Type) -> [Int] {
            let elements = x.elements(as: Element.self)
            return elements.indices.filter { elements[$0].doubleValue != 0 }
        }
        switch x.elementType {
        case .bool: return x.elements(as: Bool.self).enumerated().filter(\.element).map(\.offset)
        case .int64, .uint64: return x.elements(as: Int64.self).enumerated().filter { $0.element != 0 }.map(\.offset)
        default: return search(x.elementType.swiftType)
        }
    }
}
