import Tensors

/// A broadcasting operator on the bits of integers.
package protocol BroadcastingBits: BroadcastingOperator {
    /// Combines two integers.
    func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number
}

extension BroadcastingBits {
    package static var inputCount: ClosedRange<Int> { 2...2 }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let elementType = try inputs.required(0).elementType
        try inputs.expectSameElementType(0..<2)
        guard elementType.integerType != nil else {
            throw .invalid("input 0 is \(elementType); integers are expected")
        }
        return [TensorType(elementType, try resultShape(inputs))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let operands = try operands(inputs, outputTypes[0].shape)
        func combined<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            let pairs = zip(operands[0].elements(as: Number.self), operands[1].elements(as: Number.self))
            return try Tensor(pairs.map { combine($0, $1) }, shape: outputTypes[0].shape)
        }
        guard let integer = outputTypes[0].elementType.integerType else { return [] }
        return [try combined(integer)]
    }
}
