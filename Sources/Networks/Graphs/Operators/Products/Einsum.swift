import Tensors

/// Sums of products over labelled axes: Einstein's summation.
///
/// y[o…] = Σ Π x[l…] over every label that is in an operand but not in the result.
///
/// Shapes: given by the equation, such as `bij,bjk->bik`; an ellipsis stands for any axes, which broadcast. A label
/// that occurs twice in one operand selects its diagonal. Without `->` the result has the labels that occur once, in
/// alphabetical order.
/// Attributes: `equation` (required).
/// Numerics: sums in float64, operands combined from left to right; integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__Einsum.html
package struct Einsum: Operator {
    package static let name = "Einsum"
    package static let inputCount = 1...Int.max
    package let equation: String
    let parsed: EinsumEquation

    package init(equation: String) throws(OperatorError) {
        self.equation = equation
        parsed = try EinsumEquation(equation)
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let equation = try attributes.string("equation") else {
            throw .invalid("attribute \"equation\" is missing")
        }
        try self.init(equation: equation)
    }

    package var attributes: [String: AttributeValue] { ["equation": .string(equation)] }

    private func labels(_ inputs: [TensorType?]) throws(OperatorError) -> EinsumEquation.Labels {
        var shapes: [[Int]] = []
        for index in inputs.indices { shapes.append(try inputs.required(index).shape) }
        return try parsed.labels(shapes)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let first = try inputs.required(0)
        try inputs.expectSameElementType(0..<inputs.count)
        guard first.elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        let labels = try labels(inputs)
        return [TensorType(first.elementType, labels.result.map { labels.extents[$0] })]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let multiplyAdds = (try? labels(inputs))?.extents.saturatingProduct ?? 0
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let labels = try labels(inputs.types)
        let type = outputTypes[0].elementType
        let computing = type.isFloatingPoint ? ElementType.float64 : type
        var terms: [EinsumTerm] = []
        for (index, names) in labels.operands.enumerated() {
            let tensor = try inputs.required(index).converted(to: computing)
            terms.append(EinsumTerm(tensor, labels: names).diagonal.repeated(to: labels.extents))
        }
        var result = terms.removeFirst()
        repeat {
            let needed = Set(labels.result + terms.flatMap(\.labels))
            result = try result.summed(keeping: needed)
            guard !terms.isEmpty else { break }
            let next = terms.removeFirst()
            let later = Set(labels.result + terms.flatMap(\.labels))
            let other = try next.summed(keeping: later.union(result.labels))
            result = try result.multiplied(by: other, keeping: later)
        } while true
        let order = labels.result.compactMap { result.labels.firstIndex(of: $0) }
        return [try result.tensor.transposed(order).converted(to: type)]
    }
}
