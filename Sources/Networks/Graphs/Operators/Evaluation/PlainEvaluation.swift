import Tensors

extension Tensor {
    /// Makes a tensor from float64 results, which `body` writes over zeros in row-major order.
    ///
    /// Working memory is reserved from the budget first, so that a size that exceeds memory is an error.
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

    /// Checks that the budget has memory for a few arrays of 64-bit numbers with this shape.
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

    /// A view of this tensor, broadcast to a larger shape; repeated axes have stride 0.
    package func broadcast(to shape: [Int]) -> Tensor {
        let missing = shape.count - self.shape.count
        let strides = shape.indices.map { axis in
            axis < missing || self.shape[axis - missing] != shape[axis] ? 0 : self.strides[axis - missing]
        }
        return Tensor(elementType: elementType, shape: shape, strides: strides, offset: offset, storage: storage)
    }
}

extension Operator {
    /// Evaluates plainly, after a check that the budget has memory for two arrays of 64-bit numbers for every input and
    /// output. Such arrays are not tensors, so the budget does not count them.
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
    /// The types of the inputs for the shape rule, with their content.
    package var types: [TensorType?] { map { $0.map { TensorType($0) } } }
}
