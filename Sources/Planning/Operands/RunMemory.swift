/// The memory of one run: the execution's arena and the caller's inputs.
///
/// Valid only during the run.
package struct RunMemory {
    let arena: UnsafeMutableRawPointer
    let inputs: UnsafeBufferPointer<UnsafeRawPointer>
    /// For each input, the bytes between what one run of a plan reads and what the next does.
    let inputByteStrides: [Int]
    /// Which of the plan's runs this is.
    let run: Int

    /// The address of an operand's first element, which is not in a device's memory.
    package func address(_ operand: Operand) -> UnsafeRawPointer {
        switch operand.place {
        case .arena(let offset): UnsafeRawPointer(arena + offset)
        case .input(let index, let offset): inputs[index] + run * inputByteStrides[index] + offset
        case .constant(let tensor): UnsafeRawPointer(tensor.firstElement)
        case .device: preconditionFailure("a step of the processor reads a device's memory")
        }
    }

    /// The address of the first element of an operand that is written; it lies in the arena.
    package func mutableAddress(_ operand: Operand) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(mutating: address(operand))
    }
}
