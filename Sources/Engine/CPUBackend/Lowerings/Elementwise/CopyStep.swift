import CPUKernels
import Planning
import Tensors

/// output = input, element by element, for any strides.
struct CopyStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        let elementByteCount: Int
        var loop: StridedLoop
    }

    let pass: ElementwisePass

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.memory.address(pass.a), output: context.memory.mutableAddress(pass.output),
            elementByteCount: pass.a.elementType.byteCount, loop: pass.loop)
        context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let rows = it.loop.rows(index)
            apus_copy_rows(
                &it.loop.loop, it.elementByteCount, it.input, it.output, rows.lowerBound, rows.upperBound)
        }
    }
}

/// Runs several copies one after another.
struct CopiesStep: Step {
    let copies: [CopyStep]

    func run(_ context: StepContext) {
        for index in copies.indices { copies[index].run(context) }
    }
}
