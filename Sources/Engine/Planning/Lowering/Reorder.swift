import Graphs
import Tensors

/// Copies a value into another layout. The planner inserts it between nodes whose layouts differ.
package struct Reorder: Operator {
    package static let name = "Reorder"
    package static let domain = "apus"
    package static let inputCount = 1...1

    /// The layout of the copy.
    package let target: Layout

    package init(to target: Layout) { self.target = target }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        throw .unsupported("Reorder stands in plans, not in model files")
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try inputs.required(0)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0)]
    }
}
