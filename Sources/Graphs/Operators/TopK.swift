import Tensors

/// The largest or smallest elements along an axis, and where they lie.
///
/// y = the k first elements of x sorted, indices = their places
///
/// Shapes: x any, k [1] → y and indices (int64) of x's shape with the extent k along `axis`.
/// Attributes: `axis` (−1), `largest` (1), `sorted` (1; the result is always sorted); `k` before version 10.
/// Numerics: of equal elements the one that comes first wins; NaN counts as larger than every number.
/// Reference: https://onnx.ai/onnx/operators/onnx__TopK.html
package struct TopK: Operator {
    package static let name = "TopK"
    package static let inputCount = 1...2
    package static let outputCount = 1...2
    package var axis: Int
    package var isLargest: Bool
    /// The number of elements, when it is an attribute.
    package var count: Int?

    package init(axis: Int = -1, isLargest: Bool = true, count: Int? = nil) {
        self.axis = axis
        self.isLargest = isLargest
        self.count = count
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("sorted")
        axis = try attributes.int("axis", default: -1)
        isLargest = try attributes.bool("largest", default: true)
        count = try attributes.int("k")
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == -1 ? [:] : ["axis": .int(Int64(axis))]
        if !isLargest { values["largest"] = .int(0) }
        if let count { values["k"] = .int(Int64(count)) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        let axis = try Axes.resolve(axis, rank: x.rank)
        guard let count = try inputs.integer(1, "k") ?? count else { throw .invalid("\"k\" is missing") }
        guard count >= 0, count <= x.shape[axis] else {
            throw .invalid("k is \(count); axis \(axis) of \(x.shape) has \(x.shape[axis]) elements")
        }
        let shape = x.shape[..<axis] + [count] + x.shape[(axis + 1)...]
        return [TensorType(x.elementType, Array(shape)), TensorType(.int64, Array(shape))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let (length, inner) = (x.shape[axis], x.shape[(axis + 1)...].elementCount)
        let (shape, count) = (outputTypes[0].shape, outputTypes[0].shape[axis])
        try Tensor.claim(x.shape)
        var positions = [Int](repeating: 0, count: shape.elementCount)
        func search<Number: TensorElement & Comparable>(_: Number.Type) {
            let values = x.elements(as: Number.self)
            for row in 0..<(count == 0 ? 0 : positions.count / count) {
                let first = row / inner * inner * length + row % inner
                func precedes(_ a: Int, _ b: Int) -> Bool {
                    let (u, v) = (values[first + a * inner], values[first + b * inner])
                    if u == v || (u != u && v != v) { return a < b }
                    let isLarger = u != u || u > v
                    return isLarger == isLargest
                }
                let best = (0..<length).sorted(by: precedes)
                for place in 0..<count {
                    positions[row / inner * inner * count + row % inner + place * inner] = best[place]
                }
            }
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) { search(Number.self) }
        if let integer = x.elementType.integerType { integers(integer) } else { search(Double.self) }
        let places = try Tensor(positions.map(Int64.init), shape: shape)
        let y = try GatherElements(axis: axis).evaluate([x, places], outputTypes: [outputTypes[0]])
        return y + [places]
    }
}
