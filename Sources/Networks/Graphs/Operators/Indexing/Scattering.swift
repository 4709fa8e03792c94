import Tensors

/// The treatment of an overwritten element: it is replaced, or combined with the update.
package enum ScatterReduction: String, Sendable, CaseIterable {
    case none, add, mul, max, min

    fileprivate func combine(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .none: b
        case .add: a + b
        case .mul: a * b
        case .max: a.isNaN || a > b ? a : b
        case .min: a.isNaN || a < b ? a : b
        }
    }

    fileprivate func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
        switch self {
        case .none: b
        case .add: a &+ b
        case .mul: a &* b
        case .max: Swift.max(a, b)
        case .min: Swift.min(a, b)
        }
    }

    static func read(_ attributes: inout AttributeReader) throws(OperatorError) -> Self {
        try attributes.choice("reduction") ?? .none
    }

    var attributes: [String: AttributeValue] { self == .none ? [:] : ["reduction": .string(rawValue)] }

    /// A copy of `x` with `updates` written into it.
    ///
    /// - Parameters:
    ///   - updates: Runs of `length` elements each.
    ///   - positions: The start of each run in `x`'s row-major order; later runs win.
    func scatter(_ updates: Tensor, into x: Tensor, at positions: [Int], length: Int) throws -> Tensor {
        func scattered<Element: TensorElement>(
            _ elements: [Element], _ updates: [Element], _ combine: (Element, Element) -> Element
        ) -> [Element] {
            var elements = elements
            for (run, first) in positions.enumerated() {
                for index in 0..<length {
                    elements[first + index] = combine(elements[first + index], updates[run * length + index])
                }
            }
            return elements
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            let result = scattered(x.elements(as: Number.self), updates.elements(as: Number.self)) { combine($0, $1) }
            return try Tensor(result, shape: x.shape)
        }
        try Tensor.claim(x.shape)
        if x.elementType == .bool {
            return try Tensor(
                scattered(x.elements(as: Bool.self), updates.elements(as: Bool.self)) { combine($0, $1) },
                shape: x.shape)
        }
        if let integer = x.elementType.integerType { return try integers(integer) }
        let result = scattered(x.float64Elements, updates.float64Elements) { combine($0, $1) }
        return try Tensor(result, as: x.elementType, shape: x.shape)
    }

    /// Combines Booleans: a sum is an or, a product an and.
    private func combine(_ a: Bool, _ b: Bool) -> Bool {
        switch self {
        case .none: b
        case .add, .max: a || b
        case .mul, .min: a && b
        }
    }
}

/// An operator that writes single elements to positions along an axis: ScatterElements, and Scatter before it.
package protocol ElementScattering: Operator {
    var axis: Int { get }
    var reduction: ScatterReduction { get }
}

extension ElementScattering {
    package static var inputCount: ClosedRange<Int> { 3...3 }

    package var attributes: [String: AttributeValue] {
        var values = reduction.attributes
        if axis != 0 { values["axis"] = .int(Int64(axis)) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, indices, updates) = (try inputs.required(0), try inputs.indices(1), try inputs.required(2))
        let axis = try Axes.resolve(axis, rank: x.rank)
        guard updates.elementType == x.elementType else {
            throw .invalid("updates are \(updates.elementType), but input 0 is \(x.elementType)")
        }
        try IndexedAxis.check(indices.shape, within: x.shape, axis)
        guard updates.shape == indices.shape else {
            throw .invalid("updates \(updates.shape) do not have the shape of the indices \(indices.shape)")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, indices) = (try inputs.required(0), try inputs.required(1))
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let positions = try IndexedAxis.positions(indices, in: x.shape, axis)
        return [try reduction.scatter(try inputs.required(2), into: x, at: positions, length: 1)]
    }
}

/// Indices that select an element along one axis, each for its own place.
enum IndexedAxis {
    /// Checks that indices have the same number of axes as the indexed tensor, and extents not above its along the
    /// others.
    static func check(_ indices: [Int], within shape: [Int], _ axis: Int) throws(OperatorError) {
        let fits =
            indices.count == shape.count
            && indices.indices.allSatisfy { $0 == axis || indices[$0] <= shape[$0] }
        guard fits else { throw .invalid("indices \(indices) do not fit \(shape) along axis \(axis)") }
    }

    /// The positions in `shape`'s row-major order that `indices` name.
    static func positions(_ indices: Tensor, in shape: [Int], _ axis: Int) throws -> [Int] {
        try Tensor.claim(indices.shape)
        var strides = Shape.rowMajorStrides(shape)
        let step = strides[axis]
        strides[axis] = 0
        var positions = Tensor.offsets(indices.shape, strides)
        for (place, index) in try indices.positions(extent: shape[axis]).enumerated() {
            positions[place] += index * step
        }
        return positions
    }
}

/// Indices whose last axis holds the coordinates of an element or slice.
enum CoordinateTuples {
    /// The extents of the slice that each tuple names.
    static func slice(_ indices: [Int], of shape: [Int], batchAxes: Int = 0) throws(OperatorError) -> [Int] {
        guard let depth = indices.last, depth <= shape.count - batchAxes else {
            throw .invalid("indices \(indices) name more coordinates than \(shape) has")
        }
        return Array(shape[(batchAxes + depth)...])
    }

    /// The start of each slice that the tuples name, in `shape`'s row-major order.
    static func positions(_ indices: Tensor, in shape: [Int], batchAxes: Int = 0) throws -> [Int] {
        let depth = indices.shape.last ?? 0
        let outer = Array(indices.shape.dropLast())
        try Tensor.claim(outer)
        let strides = Shape.rowMajorStrides(shape)
        var positions = Tensor.offsets(
            outer, Array(strides[..<batchAxes]) + [Int](repeating: 0, count: outer.count - batchAxes))
        for coordinate in 0..<depth {
            let axis = batchAxes + coordinate
            let column = try indices.sliced(axis: outer.count, coordinate..<coordinate + 1)
            for (place, index) in try column.positions(extent: shape[axis]).enumerated() {
                positions[place] += index * strides[axis]
            }
        }
        return positions
    }
}
