import CPUBackend
import CPUKernels
import Testing

@Suite("Rows that are stored in bfloat16")
struct RoundedRowTests {
    @Test("Normalized rows of any length leave what stands behind them", arguments: [1, 2, 3, 16, 17, 31, 33, 65])
    func nothingBehind(_ length: Int) throws {
        guard let rounding = apus_bfloat16_kernel_for(InstructionSet.chosen.cValue) else {
            print("RoundedRowTests: this processor has no kernels of bfloat16")
            return
        }
        for rowCount in [1, 2, 3] {
            let scale = [Float](repeating: 1, count: length)
            let input = (0..<rowCount * length).map { Float($0 % 7) - 3 }
            var (floats, numbers) = ([Float](repeating: 0, count: input.count), scale)
            var words = [UInt16](repeating: 0x7FFF, count: input.count + 4)
            scale.withUnsafeBufferPointer { scale in
                guard let start = scale.baseAddress else { return }
                var it = apus_row_normalization(
                    length: length, scale: start, bias: nil, epsilon: 0.5, subtracts_mean: 1)
                apus_normalize_rows(&it, input, length, rowCount, &floats, length)
                apus_normalize_rows_of_bfloat16(&it, input, 0, rowCount, &words, rounding, &numbers)
            }
            #expect(Array(words.dropLast(4)) == floats.map { apus_bfloat16_rounded($0) }, "\(rowCount) rows")
            #expect(words.suffix(4) == [0x7FFF, 0x7FFF, 0x7FFF, 0x7FFF], "\(rowCount) rows")
        }
    }
}
