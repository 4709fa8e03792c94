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

    @Test(
        "An attention with values of any length leaves what stands behind its rows", arguments: [1, 3, 5, 16, 17, 33])
    func nothingBehindAttention(_ length: Int) throws {
        guard let rounding = apus_bfloat16_kernel_for(InstructionSet.chosen.cValue) else {
            print("RoundedRowTests: this processor has no kernels of bfloat16")
            return
        }
        let (queryCount, keyCount, size) = (3, 4, 8)
        func numbers(_ count: Int, _ step: Int) -> [Float] { (0..<count).map { Float($0 * step % 11) / 8 - 0.5 } }
        let (query, key) = (numbers(queryCount * size, 3), numbers(keyCount * size, 5))
        let value = numbers(keyCount * length, 7)
        var floats = [Float](repeating: 0, count: queryCount * length)
        var words = [UInt16](repeating: 0x7FFF, count: floats.count + 4)
        let count = apus_attention_scratch_count(rounding.pointee.product, rounding, keyCount, size, length)
        var scratch = [Float](repeating: 0, count: count)
        query.withUnsafeBufferPointer { query in
            key.withUnsafeBufferPointer { key in
                value.withUnsafeBufferPointer { value in
                    guard let query = query.baseAddress, let key = key.baseAddress, let value = value.baseAddress else {
                        return
                    }
                    func attend(_ output: UnsafeMutablePointer<Float>, inBFloat16: Bool) {
                        var head = apus_attention_head(
                            query_count: queryCount, key_count: keyCount, size: size, value_size: length, query: query,
                            key: key, value: value, query_stride: size, key_stride: size, value_stride: length,
                            bias: nil, bias_stride: 0, scale: 0.5, output: output, output_stride: length,
                            in_bfloat16: inBFloat16 ? Int32(APUS_ATTENTION_OUTPUT) : 0)
                        apus_attend(&head, rounding.pointee.product, rounding, &scratch)
                    }
                    floats.withUnsafeMutableBufferPointer {
                        if let start = $0.baseAddress { attend(start, inBFloat16: false) }
                    }
                    words.withUnsafeMutableBytes { bytes in
                        guard let start = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
                        attend(start, inBFloat16: true)
                    }
                }
            }
        }
        #expect(Array(words.dropLast(4)) == floats.map { apus_bfloat16_rounded($0) })
        #expect(words.suffix(4) == [0x7FFF, 0x7FFF, 0x7FFF, 0x7FFF])
    }
}
