import OpenCLBackend
import Testing
import TestSupport

/// The emulator finds what is wrong in a program.
@Suite("The emulator of PTX", .ownThreads, .enabled(if: PTXCompiler.shared != nil, "there is no compiler for NVPTX"))
struct PTXMachineTests {
    /// Runs a kernel `f(input, output)` of one group on the numbers 0, 1, 2, ….
    private func run(_ text: String, count: Int = 64, seed: UInt64, isLate: Bool = true) throws -> [Float] {
        let compiler = try #require(PTXCompiler.shared)
        let code = try PTXCode(try PTXProgram(try compiler.compile(text), kernel: "f"))
        var input = (0..<count).map { Float($0) }
        var output = [Float](repeating: -1, count: count)
        try input.withUnsafeMutableBytes { input in
            try output.withUnsafeMutableBytes { output in
                let machine = PTXMachine(seed: seed, copiesLate: isLate)
                var parameters: [UInt8] = []
                for buffer in [input, output] {
                    machine.allow(UnsafeRawBufferPointer(buffer))
                    withUnsafeBytes(of: UInt64(UInt(bitPattern: buffer.baseAddress))) { parameters += $0 }
                }
                try machine.run(code, groups: [1, 1, 1], local: [count, 1, 1], parameters: parameters)
            }
        }
        return output
    }

    private func reversal(_ between: String) -> String {
        """
        __kernel void f(__global const float *input, __global float *output) {
            __local float memory[64];
            const int i = get_local_id(0);
            memory[i] = input[i];
            \(between)
            output[i] = memory[63 - i];
        }
        """
    }

    @Test("A barrier that is missing gives wrong numbers")
    func barrier() throws {
        let expected = (0..<64).map { Float(63 - $0) }
        for seed in 0..<4 as Range<UInt64> {
            #expect(try run(reversal("barrier(CLK_LOCAL_MEM_FENCE);"), seed: seed) == expected)
            #expect(try run(reversal(""), seed: seed) != expected)
        }
    }

    @Test("A copy that is not waited for gives wrong numbers, where copies are late")
    func copies() throws {
        func text(_ wait: String) -> String {
            """
            __kernel void f(__global const float *input, __global float *output) {
                __local float memory[64];
                const int i = get_local_id(0);
                const uint to = (uint)(size_t)(memory + i);
                __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(to), "l"(input + i), "r"(4)
                    : "memory");
                __asm__ volatile("cp.async.commit_group;" : : : "memory");
                \(wait)
                barrier(CLK_LOCAL_MEM_FENCE);
                output[i] = memory[63 - i];
            }
            """
        }
        let expected = (0..<64).map { Float(63 - $0) }
        let waiting = "__asm__ volatile(\"cp.async.wait_group 0;\" : : : \"memory\");"
        let tooEarly = "__asm__ volatile(\"cp.async.wait_group 1;\" : : : \"memory\");"
        #expect(try run(text(waiting), seed: 1) == expected)
        #expect(try run(text(tooEarly), seed: 1) != expected)
        #expect(try run(text(tooEarly), seed: 1, isLate: false) == expected)
    }

    @Test("An address outside the buffers is an error that names the instruction")
    func addresses() throws {
        let text = """
            __kernel void f(__global const float *input, __global float *output) {
                const int i = get_local_id(0);
                output[i] = input[i + 1];
            }
            """
        let error = #expect(throws: PTXProgram.Failure.self) { try run(text, seed: 0) }
        #expect(error?.description.contains("ld.global") == true)
    }

    @Test("Lanes that do not take part together are an error")
    func lanes() throws {
        func text(_ condition: String) -> String {
            """
            __kernel void f(__global const float *input, __global float *output) {
                const int i = get_local_id(0);
                float other = 0, value = input[i];
                if (\(condition))
                    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=f"(other) : "f"(value));
                output[i] = other;
            }
            """
        }
        #expect(try run(text("value >= 0"), seed: 0) == (0..<64).map { Float($0 ^ 1) })
        #expect(throws: PTXProgram.Failure.self) { try run(text("value < 40"), seed: 0) }
    }
}
