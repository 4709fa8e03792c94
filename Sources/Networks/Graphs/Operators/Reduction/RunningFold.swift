import Tensors

/// An operator that combines the elements along an axis from one end to the other: CumSum and CumProd.
///
/// Attributes: `exclusive` (0: an element counts for its own place), `reverse` (0: from the start).
package protocol RunningFold: Operator {
    var order: RunningOrder { get }
    /// The result without elements.
    static var identity: Int8 { get }
    func combine(_ a: Double, _ b: Double) -> Double
    /// Combines two integers, wrapping around.
    func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number
}

/// The attributes that running folds share.
package struct RunningOrder: Sendable, Equatable {
    /// Whether an element counts only for the places after its own.
    package var isExclusive: Bool
    /// Whether the fold begins at the end.
    package var isReverse: Bool

    package init(isExclusive: Bool = false, isReverse: Bool = false) {
        self.isExclusive = isExclusive
        self.isReverse = isReverse
    }

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        isExclusive = try attributes.bool("exclusive", default: false)
        isReverse = try attributes.bool("reverse", default: false)
    }
}

extension RunningFold {
    package static var inputCount: ClosedRange<Int> { 2...2 }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = order.isExclusive ? ["exclusive": .int(1)] : [:]
        if order.isReverse { values["reverse"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, axis) = (try inputs.required(0), try inputs.required(1))
        guard x.elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        guard axis.elementCount == 1 else {
            throw .invalid("\"axis\" has the shape \(axis.shape); a scalar is expected")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(try inputs.required(1).scalar("axis"), rank: x.shape.count)
        let (length, inner) = (x.shape[axis], x.shape[(axis + 1)...].elementCount)
        func folded<Element>(
            _ elements: [Element], _ identity: Element, _ combine: (Element, Element) -> Element
        ) -> [Element] {
            var elements = elements
            for row in 0..<(elements.isEmpty ? 0 : elements.count / length) {
                let first = row / inner * inner * length + row % inner
                var result = identity
                for place in 0..<length {
                    let index = first + (order.isReverse ? length - 1 - place : place) * inner
                    let next = combine(result, elements[index])
                    elements[index] = order.isExclusive ? result : next
                    result = next
                }
            }
            return elements
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            let elements = folded(x.elements(as: Number.self), Number(clamping: Self.identity)) { combine($0, $1) }
            return try Tensor(elements, shape: x.shape)
        }
        if let integer = x.elementType.integerType { return [try integers(integer)] }
        let elements = folded(x.float64Elements, Double(Self.identity)) { combine($0, $1) }
        return [try Tensor(elements, as: x.elementType, shape: x.shape)]
    }
}
