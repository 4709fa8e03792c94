import Tensors

/// The largest or smallest elements along an axis, and their positions.
///
/// Shapes: x any, k (one integer, or an attribute) → values and indices (int64), k along `axis`.
/// Attributes: `axis` (−1), `largest` (1), `sorted` (1; results are sorted either way).
/// Numerics: of equal elements the first comes first; NaN comes last.
/// Reference: https://onnx.ai/onnx/operators/onnx__TopK.html
package struct TopK: Operator {
    package static let name = "TopK"
    package static let inputCount = 1...2
    package static let outputCount = 1...2
    package var axis: Int
    package var isLargest: Bool
    /// The number of elements, when it is an attribute.
    package var k: Int?

    package init(axis: Int = -1, isLargest: Bool = true, k: Int? = nil) {
        self.axis = axis
        self.isLargest = isLargest
        self.k = k
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("sorted")
        self.init(
            axis: try attributes.int("axis", default: -1), isLargest: try attributes.bool("largest", default: true),
            k: try attributes.int("k"))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == -1 ? [:] : ["axis": .int(Int64(axis))]
        if !isLargest { values["largest"] = .int(0) }
        if let k { values["k"] = .int(Int64(k)) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.rank)
        let numbers = try inputs.integers(1, "k") ?? k.map { [$0] } ?? []
        guard let k = numbers.first, numbers.count == 1 else { throw .invalid("\"k\" is missing") }
        guard k >= 0, k <= x.shape[axis] else {
            throw .invalid("\"k\" is \(k), but axis \(axis) of \(x.shape) has \(x.shape[axis]) elements")
        }
        var shape = x.shape
        shape[axis] = k
        return [TensorType(x.elementType, shape), TensorType(.int64, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let shape = outputTypes[0].shape
        let inner = x.shape[(axis + 1)...].reduce(1, *)
        let outer = x.shape[..<axis].reduce(1, *)
        let (extent, k) = (x.shape[axis], shape[axis])
        try Tensor.claim(shape)
        func search<Number: TensorElement & Comparable>(_: Number.Type) throws -> [Tensor] {
            let elements = x.elements(as: Number.self)
            var values = [Number](repeating: Number(saturating: Int64(0)), count: outputTypes[0].elementCount)
            var indices = [Int64](repeating: 0, count: values.count)
            for row in 0..<outer {
                for column in 0..<inner {
                    let start = row * extent * inner + column
                    let found = first(k, of: extent) { elements[start + $0 * inner] }
                    for (rank, position) in found.enumerated() {
                        let target = (row * k + rank) * inner + column
                        values[target] = elements[start + position * inner]
                        indices[target] = Int64(position)
                    }
                }
            }
            let results = try Tensor(values, shape: shape).converted(to: x.elementType)
            return [results, try Tensor(indices, shape: shape)]
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> [Tensor] {
            try search(Number.self)
        }
        if let integer = x.elementType.integerType { return try integers(integer) }
        return x.elementType == .float32 ? try search(Float.self) : try search(Double.self)
    }

    /// The positions of the best `k` of `count` values, best first.
    ///
    /// - Complexity: O(count) comparisons with the worst candidate, and sorts of 2k elements, which are rare in random
    ///   order.
    private func first<Number: Comparable>(_ k: Int, of count: Int, _ value: (Int) -> Number) -> [Int] {
        guard k > 0 else { return [] }
        func isBetter(_ a: Number, _ b: Number) -> Bool {
            if a != a || b != b { return a == a && b != b }
            return isLargest ? a > b : a < b
        }
        func comesFirst(_ a: (value: Number, position: Int), _ b: (value: Number, position: Int)) -> Bool {
            isBetter(a.value, b.value) || !isBetter(b.value, a.value) && a.position < b.position
        }
        var best: [(value: Number, position: Int)] = []
        var worst: Number?
        for position in 0..<count {
            let candidate = value(position)
            if let worst, !isBetter(candidate, worst) { continue }
            best.append((candidate, position))
            if best.count == 2 * k {
                best.sort(by: comesFirst)
                best.removeLast(k)
                worst = best[k - 1].value
            }
        }
        best.sort(by: comesFirst)
        return best.prefix(k).map(\.position)
    }
}
