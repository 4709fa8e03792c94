import Tensors

/// The attributes that ArgMax and ArgMin share.
package struct ExtremumAxis: Sendable, Equatable {
    package var axis: Int
    package var keepsAxis: Bool
    package var selectsLast: Bool

    package init(axis: Int = 0, keepsAxis: Bool = true, selectsLast: Bool = false) {
        self.axis = axis
        self.keepsAxis = keepsAxis
        self.selectsLast = selectsLast
    }
}

/// An operator that finds the position of an extreme element along an axis.
package protocol ExtremumSearch: Operator {
    var search: ExtremumAxis { get }
    init(search: ExtremumAxis)
    func isBetter<Number: Comparable>(_ candidate: Number, than best: Number) -> Bool
}

extension ExtremumSearch {
    package static var inputCount: ClosedRange<Int> { 1...1 }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(
            search: ExtremumAxis(
                axis: try attributes.int("axis", default: 0), keepsAxis: try attributes.bool("keepdims", default: true),
                selectsLast: try attributes.bool("select_last_index", default: false)))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = search.axis == 0 ? [:] : ["axis": .int(Int64(search.axis))]
        if !search.keepsAxis { values["keepdims"] = .int(0) }
        if search.selectsLast { values["select_last_index"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(search.axis, rank: x.rank)
        guard x.shape[axis] > 0 else { throw .invalid("axis \(axis) of \(x.shape) is empty") }
        return [TensorType(.int64, x.shape[..<axis] + (search.keepsAxis ? [1] : []) + x.shape[(axis + 1)...])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(search.axis, rank: x.shape.count)
        let (length, inner) = (x.shape[axis], x.shape[(axis + 1)...].reduce(1, *))
        func positions<Number: TensorElement & Comparable>(_: Number.Type) throws -> Tensor {
            let values = x.elements(as: Number.self)
            let found = (0..<outputTypes[0].elementCount).map { index in
                let first = index / inner * inner * length + index % inner
                var best = 0
                for position in 1..<max(length, 1) {
                    let (candidate, current) = (values[first + position * inner], values[first + best * inner])
                    let isEqual = search.selectsLast && candidate == current
                    if isEqual || isBetter(candidate, than: current) || current != current { best = position }
                }
                return Int64(best)
            }
            return try Tensor(found, shape: outputTypes[0].shape)
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            try positions(Number.self)
        }
        guard let integer = x.elementType.integerType else { return [try positions(Double.self)] }
        return [try integers(integer)]
    }
}
