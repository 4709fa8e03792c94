import Tensors

/// A planned value, or a slice of one, as a step reads or writes it.
package struct Operand: Sendable {
    /// The memory that a value lies in.
    package enum Place: Sendable {
        /// The arena of the execution, from a byte offset.
        case arena(offset: Int)
        /// The execution's arena on the device, from a byte offset.
        case device(offset: Int)
        /// The caller's input with that index, from a byte offset.
        case input(Int, offset: Int = 0)
        /// The caller's memory for the output with that index, from a byte offset.
        case output(Int, offset: Int = 0)
        /// Memory that belongs to the plan.
        case constant(Tensor)

        static func arena(in space: MemorySpace, offset: Int) -> Place {
            switch space {
            case .host: .arena(offset: offset)
            case .device: .device(offset: offset)
            }
        }
    }

    package var elementType: ElementType
    /// Logical extents, `[N, C, …]`.
    package var shape: [Int]
    /// Distances in elements between neighbours along each logical axis.
    package var strides: [Int]
    package var place: Place

    package init(elementType: ElementType, shape: [Int], strides: [Int], place: Place) {
        self.elementType = elementType
        self.shape = shape
        self.strides = strides
        self.place = place
    }

    package var elementCount: Int { shape.reduce(1, *) }

    /// The part of the operand that starts at `start` along `axis` and has `count` elements there. Constants have no
    /// slices.
    package func slice(axis: Int, start: Int, count: Int) -> Operand {
        var part = self
        part.shape[axis] = count
        let distance = start * strides[axis] * elementType.byteCount
        switch place {
        case .arena(let offset): part.place = .arena(offset: offset + distance)
        case .device(let offset): part.place = .device(offset: offset + distance)
        case .input(let index, let offset): part.place = .input(index, offset: offset + distance)
        case .output(let index, let offset): part.place = .output(index, offset: offset + distance)
        case .constant: break
        }
        return part
    }

    /// Loads a constant, so that it can be read.
    func load() throws(TensorError) {
        if case .constant(let tensor) = place { try tensor.storage.load() }
    }

    /// Whether both operands name the same memory with the same arrangement.
    package func isSameMemory(as other: Operand) -> Bool {
        let isSamePlace =
            switch (place, other.place) {
            case (.arena(let offset), .arena(let otherOffset)), (.device(let offset), .device(let otherOffset)):
                offset == otherOffset
            case (.input(let index, let offset), .input(let otherIndex, let otherOffset)),
                (.output(let index, let offset), .output(let otherIndex, let otherOffset)):
                index == otherIndex && offset == otherOffset
            default: false
            }
        return isSamePlace && shape == other.shape
            && zip(shape, zip(strides, other.strides)).allSatisfy { $0 == 1 || $1.0 == $1.1 }
    }

    /// Reads the operand's content as a row-major tensor.
    package func load(from memory: ExecutionMemory, budget: MemoryBudget = .process) throws -> Tensor {
        try Tensor(elementType, shape: shape, budget: budget) { bytes in
            guard let start = bytes.baseAddress else { return }
            copyStrided(
                shape: shape, elementByteCount: elementType.byteCount, from: memory.address(self),
                sourceStrides: strides, to: start, destinationStrides: Shape.rowMajorStrides(shape))
        }
    }

    /// Sets the operand's content.
    package func store(_ tensor: Tensor, to memory: ExecutionMemory) {
        copyStrided(
            shape: shape, elementByteCount: elementType.byteCount, from: tensor.firstElement,
            sourceStrides: tensor.strides, to: memory.mutableAddress(self), destinationStrides: strides)
        withExtendedLifetime(tensor) {}
    }
}
