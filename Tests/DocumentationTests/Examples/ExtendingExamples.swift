import Graphs
import Tensors

/// An array with the elements along one axis in reverse order.
///
/// Shapes: any → the same.
/// Attributes: `axis`, −1 by default; negative values count from the last axis.
struct Mirror: Operator {
    static let name = "Mirror"
    static let inputCount = 1...1
    let axis: Int

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis") ?? -1
    }

    func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.shape.indices.contains(axis < 0 ? axis + x.shape.count : axis) else {
            throw .invalid("there is no axis \(axis) of the shape \(x.shape)")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = axis < 0 ? axis + x.shape.count : axis
        let inner = x.shape[(axis + 1)...].reduce(1, *)
        let extent = x.shape[axis]
        let values = x.float64Elements
        let mirrored = values.indices.map { index in
            let position = index / inner % extent
            return values[index + (extent - 1 - 2 * position) * inner]
        }
        return [try Tensor(mirrored, as: x.elementType, shape: x.shape)]
    }
}

extension Mirror {
    init(axis: Int) { self.axis = axis }
}

extension SwiftExample {
    static let extending = [
        SwiftExample("operators", prints: ["[3.0, 2.0, 1.0, 6.0, 5.0, 4.0]"]) {
            let x = try Tensor([1, 2, 3, 4, 5, 6] as [Float], shape: [2, 3])
            let types = try Mirror(axis: -1).outputTypes(for: [TensorType(x)])
            print(try Mirror(axis: -1).evaluate([x], outputTypes: types)[0].elements(as: Float.self))
        }
    ]
}
