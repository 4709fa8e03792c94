import Tensors

/// The same elements without axes of extent 1.
///
/// Shapes: x without the axes named → one axis less for each.
/// Attributes: `axes` (all of extent 1) where no input gives them. Negative axes count from the end.
/// Reference: https://onnx.ai/onnx/operators/onnx__Squeeze.html
package struct Squeeze: Operator {
    package static let name = "Squeeze"
    package static let inputCount = 1...2
    /// The axes, when they are an attribute.
    package var axes: [Int]?

    package init(axes: [Int]? = nil) {
        self.axes = axes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axes = try attributes.ints("axes")
    }

    package var attributes: [String: AttributeValue] {
        axes.map { ["axes": .ints($0.map(Int64.init))] } ?? [:]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard let named = try inputs.integers(1, "axes") ?? axes else {
            return [TensorType(x.elementType, x.shape.filter { $0 != 1 })]
        }
        let dropped = Set(try Axes.resolve(named, rank: x.rank))
        for axis in dropped where x.shape[axis] != 1 {
            throw .invalid("axis \(axis) of \(x.shape) has the extent \(x.shape[axis]), not 1")
        }
        return [TensorType(x.elementType, x.shape.indices.filter { !dropped.contains($0) }.map { x.shape[$0] })]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0).reshaped(to: outputTypes[0].shape)]
    }
}
