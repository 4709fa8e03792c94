import Tensors

/// An operator that combines elements of inputs that broadcast to one shape.
package protocol BroadcastingOperator: Operator {
    /// Where the axes of the second input lie; nil for the rule of ``Broadcasting``.
    var alignment: OperandAlignment? { get }
}

/// A broadcasting operator of two inputs, the second of which may lie elsewhere than at the last axes of the first.
package protocol AlignedOperator: BroadcastingOperator, AttributeFree {
    var alignment: OperandAlignment? { get set }
}

extension BroadcastingOperator {
    package var alignment: OperandAlignment? { nil }
    package var attributes: [String: AttributeValue] { alignment?.attributes ?? [:] }

    /// The shape of the result.
    func resultShape(_ inputs: [TensorType?]) throws(OperatorError) -> [Int] {
        var shapes = inputs.compactMap { $0?.shape }
        guard shapes.count == inputs.count, !shapes.isEmpty else { throw .invalid("an input is missing") }
        if let alignment, shapes.count == 2 { shapes[1] = try alignment.aligned(shapes[1], to: shapes[0]) }
        return try Broadcasting.shape(shapes)
    }

    /// The inputs, each repeated to `shape`.
    func operands(_ inputs: [Tensor?], _ shape: [Int]) throws -> [Tensor] {
        try Tensor.claim(shape)
        var tensors = inputs.compactMap { $0 }
        if let alignment, tensors.count == 2 {
            tensors[1] = try tensors[1].reshaped(
                to: alignment.aligned(tensors[1].shape, to: tensors[0].shape))
        }
        return tensors.map { $0.broadcast(to: shape) }
    }
}

/// A broadcasting operator whose result has its inputs' element type: arithmetic.
package protocol BroadcastingArithmetic: BroadcastingOperator {
    /// Combines two elements.
    func combine(_ a: Double, _ b: Double) -> Double
    /// Combines two integers, wrapping around.
    func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number
    /// Completes the combination of `count` inputs.
    func finish(_ value: Double, count: Int) -> Double
}

extension BroadcastingArithmetic {
    package func finish(_ value: Double, count: Int) -> Double { value }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let elementType = try inputs.required(0).elementType
        try inputs.expectSameElementType(0..<inputs.count)
        guard elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        return [TensorType(elementType, try resultShape(inputs))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let operands = try operands(inputs, type.shape)
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            var result = operands[0].elements(as: Number.self)
            for operand in operands.dropFirst() {
                let values = operand.elements(as: Number.self)
                for index in result.indices { result[index] = combine(result[index], values[index]) }
            }
            return try Tensor(result, shape: type.shape)
        }
        if let integer = type.elementType.integerType { return [try integers(integer)] }
        var result = operands[0].float64Elements
        for operand in operands.dropFirst() {
            let values = operand.float64Elements
            for index in result.indices { result[index] = combine(result[index], values[index]) }
        }
        for index in result.indices { result[index] = finish(result[index], count: operands.count) }
        return [try Tensor(result, as: type.elementType, shape: type.shape)]
    }
}

/// A broadcasting operator that compares two elements.
package protocol BroadcastingComparison: BroadcastingOperator {
    /// Whether the relation holds.
    func holds<Number: Comparable>(_ a: Number, _ b: Number) -> Bool
}

extension BroadcastingComparison {
    package static var inputCount: ClosedRange<Int> { 2...2 }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        try inputs.expectSameElementType(0..<2)
        return [TensorType(.bool, try resultShape(inputs))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let operands = try operands(inputs, outputTypes[0].shape)
        func compared<Number: TensorElement & Comparable>(_: Number.Type) throws -> Tensor {
            let values = zip(operands[0].elements(as: Number.self), operands[1].elements(as: Number.self))
            return try Tensor(values.map { holds($0, $1) }, shape: outputTypes[0].shape)
        }
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            try compared(Number.self)
        }
        if operands[0].elementType.isFloatingPoint { return [try compared(Double.self)] }
        guard let integer = operands[0].elementType.integerType else { return [try compared(UInt8.self)] }
        return [try integers(integer)]
    }
}

/// A broadcasting operator on Booleans.
package protocol BroadcastingLogic: BroadcastingOperator {
    /// Combines two Booleans.
    func combine(_ a: Bool, _ b: Bool) -> Bool
}

extension BroadcastingLogic {
    package static var inputCount: ClosedRange<Int> { 2...2 }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        for index in 0..<2 {
            let type = try inputs.required(index).elementType
            guard type == .bool else { throw .invalid("input \(index) is \(type); bool is expected") }
        }
        return [TensorType(.bool, try resultShape(inputs))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let operands = try operands(inputs, outputTypes[0].shape)
        let values = zip(operands[0].elements(as: Bool.self), operands[1].elements(as: Bool.self))
        return [try Tensor(values.map { combine($0, $1) }, shape: outputTypes[0].shape)]
    }
}
