/// The memory of one run: the execution's arena, and the caller's inputs and outputs.
///
/// Valid only during the run.
package struct ExecutionMemory {
    let arena: UnsafeMutableRawPointer
    let inputs: UnsafeBufferPointer<UnsafeRawPointer>
    /// For each input, the bytes between the parts that successive executions read.
    let inputByteStrides: [Int]
    let outputs: UnsafeBufferPointer<UnsafeMutableRawPointer>
    /// For each output, the bytes between the parts that successive executions write.
    let outputByteStrides: [Int]
    /// The index of this run among the plan's runs.
    let run: Int

    /// The address of the first element of an operand that is not in a device's memory.
    package func address(_ operand: Operand) -> UnsafeRawPointer {
        switch operand.place {
        case .arena(let offset): UnsafeRawPointer(arena + offset)
        case .input(let index, let offset): inputs[index] + run * inputByteStrides[index] + offset
        case .output(let index, let offset):
            UnsafeRawPointer(outputs[index] + run * outputByteStrides[index] + offset)
        case .constant(let tensor): UnsafeRawPointer(tensor.firstElement)
        case .device: preconditionFailure("a step of the processor reads a device's memory")
        }
    }

    /// The address of the first element of an operand in the arena or an output, to be written.
    package func mutableAddress(_ operand: Operand) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(mutating: address(operand))
    }
}
