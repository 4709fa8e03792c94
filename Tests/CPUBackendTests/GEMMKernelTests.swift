import CPUBackend
import CPUKernels
import Graphs
import Testing

@Suite("Products with packed weights, every instruction set against a plain loop")
struct GEMMKernelTests {
    private static let kernels: [(InstructionSet, apus_gemm_kernel)] = InstructionSet.available.compactMap { set in
        apus_gemm_kernel_for(set.cValue).map { (set, $0.pointee) }
    }

    /// Every number of rows and of columns up to some tiles and panels, each with other strides and depths.
    private func forEachProduct(isFractional: Bool, seed: UInt64, _ body: (RandomProduct) -> Void) {
        var generator = SplitMix64(seed: seed)
        for rows in Array(1...30) + [57] {
            for columns in Array(1...40) + [64, 70] where (rows + columns) % 3 == 0 || rows == 14 || columns == 17 {
                body(RandomProduct(rows: rows, columns: columns, isFractional: isFractional, &generator))
            }
        }
    }

    @Test("Whole numbers are exact, and nothing beyond the result is touched")
    func multipliesWholeNumbers() {
        #expect(!Self.kernels.isEmpty)
        forEachProduct(isFractional: false, seed: 1) { product in
            let expected = product.expected
            for (set, kernel) in Self.kernels {
                #expect(product.result(kernel) == expected, "\(set), seed 1: \(product)")
            }
        }
    }

    @Test("Fractions are close to float64")
    func multipliesFractions() {
        forEachProduct(isFractional: true, seed: 2) { product in
            let expected = product.expected
            for (set, kernel) in Self.kernels {
                #expect(isClose(product.result(kernel), expected), "\(set), seed 2: \(product)")
            }
        }
    }

    @Test("The bits of a row do not depend on the rows beside it")
    func keepsBits() {
        forEachProduct(isFractional: true, seed: 3) { product in
            for (set, kernel) in Self.kernels {
                let whole = product.result(kernel).map(\.bitPattern)
                for rows in [1, 5] {
                    let parts = product.result(kernel, rowsPerCall: rows).map(\.bitPattern)
                    #expect(whole == parts, "\(set), seed 3, \(rows) rows at a time: \(product)")
                }
            }
        }
    }

    @Test("NaN stays NaN through every activation")
    func keepsNaN() {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<8 {
            let product = RandomProduct(rows: 3, columns: 20, isFractional: false, &generator)
            for (set, kernel) in Self.kernels {
                let result = product.replacingLeft(with: .nan).result(kernel)
                let isNaN = (0..<3).allSatisfy { row in
                    result[row * product.outputStride..<row * product.outputStride + 20].allSatisfy(\.isNaN)
                }
                #expect(isNaN, "\(set), seed 4: \(product)")
            }
        }
    }
}
