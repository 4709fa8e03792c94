import Tensors

/// The same elements with more axes of extent 1.
///
/// Shapes: x → one axis more for each one named; `axes` count in the result.
/// Attributes: `axes` where no input gives them. Negative axes count from the end.
/// Reference: https://onnx.ai/onnx/operators/onnx__Unsqueeze.html
package struct Unsqueeze: Operator {
    package static let name = "Unsqueeze"
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
        guard let named = try inputs.integers(1, "axes") ?? axes else { throw .invalid("\"axes\" are missing") }
        let added = Set(try Axes.resolve(named, rank: x.rank + named.count))
        var extents = x.shape.makeIterator()
        let shape = (0..<x.rank + added.count).map { added.contains($0) ? 1 : extents.next() ?? 1 }
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0).reshaped(to: outputTypes[0].shape)]
    }
}
