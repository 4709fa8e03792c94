import Tensors

/// Vectors in memory: a tensor of float32 [rows, elements].
struct HeldEmbeddings: EmbeddingRows {
    private let tensor: Tensor

    init(_ tensor: Tensor) { self.tensor = tensor }

    var count: Int { tensor.shape[0] }
    var vectorLength: Int { tensor.shape[1] }

    func withRows<Result>(
        _ range: Range<Int>, _ scratch: inout [Float], _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) throws -> Result {
        try tensor.withContiguousBytes { bytes in
            let all = bytes.bindMemory(to: Float.self)
            return try body(
                UnsafeBufferPointer(
                    rebasing: all[range.lowerBound * vectorLength..<range.upperBound * vectorLength]))
        }
    }
}
