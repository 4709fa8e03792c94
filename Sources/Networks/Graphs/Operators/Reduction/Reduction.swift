import Tensors

/// The shared attributes of operators that reduce some axes to one number.
package struct ReductionAxes: Sendable, Equatable {
    /// The axes, when they are an attribute.
    package var axes: [Int]?
    /// Whether reduced axes are kept with extent 1.
    package var keepsAxes: Bool
    /// Whether an empty list of axes means none instead of all, so that only the function of each element is applied.
    package var isIdentityWithoutAxes: Bool

    package init(axes: [Int]? = nil, keepsAxes: Bool = true, isIdentityWithoutAxes: Bool = false) {
        self.axes = axes
        self.keepsAxes = keepsAxes
        self.isIdentityWithoutAxes = isIdentityWithoutAxes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(
            axes: try attributes.ints("axes"), keepsAxes: try attributes.bool("keepdims", default: true),
            isIdentityWithoutAxes: try attributes.bool("noop_with_empty_axes", default: false))
    }

    var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if let axes { values["axes"] = .ints(axes.map(Int64.init)) }
        if !keepsAxes { values["keepdims"] = .int(0) }
        if isIdentityWithoutAxes { values["noop_with_empty_axes"] = .int(1) }
        return values
    }

    /// The axes that are reduced, counted from 0; empty when none is.
    package func resolved(_ inputs: [TensorType?]) throws(OperatorError) -> [Int] {
        let rank = try inputs.required(0).rank
        let named = try inputs.integers(1, "axes") ?? axes ?? []
        if named.isEmpty { return isIdentityWithoutAxes ? [] : Array(0..<rank) }
        return try Axes.resolve(named, rank: rank).sorted()
    }
}

/// An operator that reduces some axes to one number.
package protocol Reduction: Operator {
    var axes: ReductionAxes { get }
    init(axes: ReductionAxes)
    /// Whether the reduction of a single element is that element.
    static var keepsSingleElement: Bool { get }
    /// Reduces floating-point numbers; the list is empty when a reduced axis is.
    func reduce(_ values: [Double]) -> Double
    /// Reduces integers, wrapping around.
    func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number
}

extension Reduction {
    package static var inputCount: ClosedRange<Int> { 1...2 }
    package static var keepsSingleElement: Bool { true }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(axes: try ReductionAxes(&attributes))
    }

    package var attributes: [String: AttributeValue] { axes.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let reduced = try axes.resolved(inputs)
        let isNoOperation = reduced.isEmpty && axes.isIdentityWithoutAxes
        let shape = x.shape.indices.compactMap { axis in
            !isNoOperation && reduced.contains(axis) ? (axes.keepsAxes ? 1 : nil) : x.shape[axis]
        }
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let type = outputTypes[0]
        let reduced = try axes.resolved(inputs.types)
        if reduced.isEmpty, axes.isIdentityWithoutAxes, Self.keepsSingleElement { return [x] }
        let order = x.shape.indices.filter { !reduced.contains($0) } + reduced
        let length = reduced.map { x.shape[$0] }.elementCount
        try Tensor.claim(type.shape)
        let arranged = try x.transposed(order)
        func rows<Element: TensorElement>(_ values: [Element], _ body: ([Element]) -> Element) -> [Element] {
            (0..<type.elementCount).map { body(Array(values[$0 * length..<($0 + 1) * length])) }
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            try Tensor(rows(arranged.elements(as: Number.self), reduce), shape: type.shape)
        }
        if type.elementType == .bool { return [try integers(UInt8.self).converted(to: .bool)] }
        if let integer = type.elementType.integerType { return [try integers(integer)] }
        return [
            try Tensor(
                rows(arranged.float64Elements, reduce), as: type.elementType, shape: type.shape)
        ]
    }
}
