import Tensors

/// The unique elements of a tensor, or its unique slices along an axis.
///
/// Shapes: any → Y [U] or U along `axis`; indices [U], of the first occurrence; inverse_indices, for each element its
/// position in Y; counts [U], of the occurrences; the last three int64.
/// Attributes: `axis` (none: the elements in row-major order), `sorted` (1; otherwise in order of first occurrence).
/// Numerics: NaN equals itself and comes last.
/// Reference: https://onnx.ai/onnx/operators/onnx__Unique.html
package struct Unique: DataDependentOperator {
    package static let name = "Unique"
    package static let inputCount = 1...1
    package static let outputCount = 1...4
    package var axis: Int?
    package var isSorted: Bool

    package init(axis: Int? = nil, isSorted: Bool = true) {
        self.axis = axis
        self.isSorted = isSorted
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(axis: try attributes.int("axis"), isSorted: try attributes.bool("sorted", default: true))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis.map { ["axis": .int(Int64($0))] } ?? [:]
        if !isSorted { values["sorted"] = .int(0) }
        return values
    }

    package func evaluate(_ inputs: [Tensor?]) throws -> [Tensor] {
        var x = try inputs.required(0)
        if axis == nil { x = try x.reshaped(to: [x.elementCount]) }
        let axis = try Axes.resolve(axis ?? 0, rank: x.shape.count)
        func search<Number: TensorElement & Comparable>(_: Number.Type) throws -> [Tensor] {
            try unique(x, axis: axis, as: Number.self)
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> [Tensor] {
            try search(Number.self)
        }
        if let integer = x.elementType.integerType { return try integers(integer) }
        return try search(Double.self)
    }

    private func unique<Number: TensorElement & Comparable>(
        _ x: Tensor, axis: Int, as _: Number.Type
    ) throws -> [Tensor] {
        try Tensor.claim(x.shape)
        let order = [axis] + x.shape.indices.filter { $0 != axis }
        let elements = try x.transposed(order).elements(as: Number.self)
        let count = x.shape[axis]
        let length = count == 0 ? 0 : elements.count / count

        func precedes(_ a: Number, _ b: Number) -> Bool { a == a && (a < b || b != b) }
        /// Whether slice a comes before slice b; nil when they are equal.
        func comesFirst(_ a: Int, _ b: Int) -> Bool? {
            for offset in 0..<length {
                let (first, second) = (elements[a * length + offset], elements[b * length + offset])
                if precedes(first, second) { return true }
                if precedes(second, first) { return false }
            }
            return nil
        }
        let sorted = (0..<count).sorted { comesFirst($0, $1) ?? ($0 < $1) }
        var groups: [[Int]] = []
        for position in sorted {
            if let previous = groups.last?.first, comesFirst(previous, position) == nil {
                groups[groups.count - 1].append(position)
            } else {
                groups.append([position])
            }
        }
        if !isSorted { groups.sort { $0[0] < $1[0] } }
        var inverse = [Int64](repeating: 0, count: count)
        for (index, group) in groups.enumerated() { for position in group { inverse[position] = Int64(index) } }
        let indices = try Tensor(groups.map { Int64($0[0]) }, shape: [groups.count])
        var shape = x.shape
        shape[axis] = groups.count
        let y = try Gather(axis: axis).evaluate([x, indices], outputTypes: [TensorType(x.elementType, shape)])[0]
        return [
            y, indices, try Tensor(inverse, shape: [count]),
            try Tensor(groups.map { Int64($0.count) }, shape: [groups.count]),
        ]
    }
}
