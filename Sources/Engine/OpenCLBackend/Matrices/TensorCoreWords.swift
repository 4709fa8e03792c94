import Tensors

/// The words in which `tensor_tile.cl` reads the columns of a constant right operand.
struct TensorCoreWords: Sendable, Hashable {
    /// Whether a word holds two float16 numbers; otherwise it holds one float32 number rounded to tf32.
    let isHalf: Bool

    /// The elements of the depth to whose multiple a column is padded by zeros.
    private static let unit = 32

    /// The words of a column.
    func count(depth: Int) -> Int { depth.roundedUp(to: Self.unit) / (isHalf ? 2 : 1) }

    /// The name of the packing.
    var name: String { isHalf ? "f16" : "tf32" }

    /// Packs matrices `[…, depth, columns]` as columns of words, `[…, columns, count(depth)]`.
    func pack(_ tensor: Tensor) throws -> Tensor {
        let (depth, columns) = (tensor.shape[tensor.shape.count - 2], tensor.shape[tensor.shape.count - 1])
        let count = count(depth: depth)
        let matrices = tensor.elementCount / max(depth * columns, 1)
        let values = tensor.elements(as: Float.self)
        var words = [Float](repeating: 0, count: matrices * columns * count)
        for matrix in 0..<matrices {
            for k in 0..<depth {
                let from = (matrix * depth + k) * columns
                // Of 16 elements, word w holds elements 8 · (w / 4) + w % 4 and the one 4 after it.
                let word = isHalf ? k / 16 * 8 + k / 8 % 2 * 4 + k % 4 : k
                let isUpper = k % 8 >= 4
                for column in 0..<columns {
                    let (value, index) = (values[from + column], (matrix * columns + column) * count + word)
                    if isHalf {
                        let bits = UInt32(Float16(value).bitPattern) << (isUpper ? 16 : 0)
                        words[index] = Float(bitPattern: words[index].bitPattern | bits)
                    } else {
                        words[index] = Self.rounded(value)
                    }
                }
            }
        }
        return try Tensor(words, shape: Array(tensor.shape.dropLast(2)) + [columns, count])
    }

    /// The nearest number with 10 bits after the leading one; of two, the one farther from 0.
    private static func rounded(_ value: Float) -> Float {
        value.isFinite ? Float(bitPattern: (value.bitPattern &+ 0x1000) & ~0x1fff) : value
    }
}
