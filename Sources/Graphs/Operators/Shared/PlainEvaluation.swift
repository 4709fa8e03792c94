import Tensors

extension Tensor {
    /// Makes a tensor from float64 results that `body` writes over zeros, in row-major order.
    ///
    /// Working memory is asked from the budget first, so that a size no machine can hold is an error.
    package init(
        _ type: TensorType, computing body: (UnsafeMutableBufferPointer<Double>) throws -> Void
    ) throws {
        try Self.claim(type.shape)
        let results = try Tensor(zeros: .float64, shape: type.shape)
        let pointer = results.firstElement.bindMemory(to: Double.self, capacity: results.elementCount)
        try body(UnsafeMutableBufferPointer(start: pointer, count: results.elementCount))
        if type.elementType == .float64 {
            self = results
        } else {
            try self.init(results.float64Elements, as: type.elementType, shape: type.shape)
        }
    }

    /// Makes sure that the budget can give `shape` a few arrays of 64-bit numbers.
    package static func claim(_ shape: [Int]) throws(TensorError) {
        let (bytes, overflow) = try Shape.byteCount(shape, .float64).multipliedReportingOverflow(by: 3)
        guard !overflow else { throw .overflow(shape) }
        _ = try Storage(byteCount: bytes, zeroed: false)
    }

    /// The elements in row-major order as float64.
    package var float64Elements: [Double] {
        switch elementType {
        case .float32: elements(as: Float.self).map(Double.init)
        case .float16: elements(as: Float16.self).map(Double.init)
        case .bfloat16: elements(as: BFloat16.self).map(\.doubleValue)
        default: elements(as: Double.self)
        }
    }

    /// Makes a small tensor while attributes are read or shapes inferred.
    package static func constant<Element: TensorElement>(
        _ elements: [Element], shape: [Int]
    ) throws(OperatorError) -> Tensor {
        do throws(TensorError) {
            return try Tensor(elements, shape: shape)
        } catch {
            throw .tensor(error)
        }
    }

    /// This tensor seen under a larger shape that it broadcasts to; repeated axes have stride 0.
    package func broadcast(to shape: [Int]) -> Tensor {
        let missing = shape.count - self.shape.count
        let strides = shape.indices.map { axis in
            axis < missing || self.shape[axis - missing] != shape[axis] ? 0 : self.strides[axis - missing]
        }
        return Tensor(elementType: elementType, shape: shape, strides: strides, offset: offset, storage: storage)
    }
}

extension Operator {
    /// Evaluates plainly, once it is sure that the budget can give an array of 64-bit numbers and a copy of it for every
    /// input and output: those are no tensors, and nobody counts them.
    package func evaluateInBudget(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let counts = inputs.compactMap { $0?.elementCount } + outputTypes.map(\.elementCount)
        var byteCount = 0
        for count in counts {
            let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: 2 * MemoryLayout<Double>.size)
            let (sum, overflow) = byteCount.addingReportingOverflow(bytes)
            guard !isTooLarge, !overflow else { throw TensorError.overflow(counts) }
            byteCount = sum
        }
        _ = try Storage(byteCount: byteCount, zeroed: false)
        return try evaluate(inputs, outputTypes: outputTypes)
    }
}

extension ElementType {
    /// The Swift type that holds one element, when elements are integers.
    package var integerType: (any (FixedWidthInteger & TensorElement).Type)? {
        swiftType as? any (FixedWidthInteger & TensorElement).Type
    }
}

extension [TensorType?] {
    /// The type of an input that must be present and hold floating-point numbers.
    package func floatingPoint(_ index: Int) throws(OperatorError) -> TensorType {
        let type = try required(index)
        guard type.elementType.isFloatingPoint else {
            throw .invalid("input \(index) is \(type.elementType); floating-point numbers are expected")
        }
        return type
    }

    /// Checks that all inputs that are present among `indices` have the element type of the first.
    package func expectSameElementType(_ indices: Range<Int>) throws(OperatorError) {
        var first: ElementType?
        for index in indices {
            guard let type = optional(index) else { continue }
            guard type.elementType == first ?? type.elementType else {
                throw .invalid("input \(index) is \(type.elementType), but another input is \(first ?? .float32)")
            }
            first = type.elementType
        }
    }
}

extension [Tensor?] {
    /// The inputs as the shape rule sees them, with their content.
    package var types: [TensorType?] { map { $0.map { TensorType($0) } } }
}
