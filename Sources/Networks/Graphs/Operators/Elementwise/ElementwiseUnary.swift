import Tensors

/// An operator without attributes.
package protocol AttributeFree: Operator {
    init()
}

extension AttributeFree {
    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init()
    }
}

/// What kernels are told of a function: its name in their table (`Kernels/functions.h`), and the numbers of its
/// formula.
package struct KernelFunction: Sendable, Hashable {
    package var name: String
    package var alpha: Float
    package var beta: Float

    package init(_ name: String, alpha: Float = 0, beta: Float = 0) {
        (self.name, self.alpha, self.beta) = (name, alpha, beta)
    }
}

/// An operator that computes every element of its result from the input's element at the same place.
package protocol ElementwiseUnary: Operator {
    /// The function as kernels know it, where their table has it; by default it has the operator's name.
    var kernelFunction: KernelFunction { get }
    /// Whether integers are allowed besides floating-point numbers.
    static var acceptsIntegers: Bool { get }
    /// The function's value.
    func apply(_ x: Double) -> Double
    /// The function's value for an integer.
    func apply<Number: FixedWidthInteger>(_ x: Number) -> Number
}

extension ElementwiseUnary {
    package static var inputCount: ClosedRange<Int> { 1...1 }
    package static var acceptsIntegers: Bool { false }
    package var kernelFunction: KernelFunction { KernelFunction(Self.name) }
    package func apply<Number: FixedWidthInteger>(_ x: Number) -> Number { x }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.elementType.isFloatingPoint || (Self.acceptsIntegers && x.elementType != .bool) else {
            throw .invalid(
                "input 0 is \(x.elementType); \(Self.acceptsIntegers ? "" : "floating-point ")numbers are expected")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            try Tensor(x.elements(as: Number.self).map { apply($0) }, shape: x.shape)
        }
        if let type = x.elementType.integerType { return [try integers(type)] }
        let values = x.float64Elements.map { apply($0) }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}

/// An operator that computes a predicate of every floating-point number.
package protocol ElementwisePredicate: Operator {
    /// Whether the predicate is true.
    func holds(_ x: Double) -> Bool
}

extension ElementwisePredicate {
    package static var inputCount: ClosedRange<Int> { 1...1 }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(.bool, try inputs.floatingPoint(0).shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        return [try Tensor(x.float64Elements.map(holds), shape: x.shape)]
    }
}
