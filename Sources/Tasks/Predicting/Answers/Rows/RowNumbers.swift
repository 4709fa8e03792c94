import Platform
import Tensors

/// The row of numbers that an answer has in an array.
package struct RowNumbers: Sendable {
    package let elementType: ElementType
    package let count: Int
    /// The elements in this machine's order of bytes.
    package let bytes: [UInt8]

    package init(_ numbers: [Float]) {
        (elementType, count) = (.float32, numbers.count)
        bytes = numbers.withUnsafeBytes { Array($0) }
    }

    /// The elements of a tensor, as an array of NumPy has them.
    package init(_ tensor: Tensor) throws {
        let stored = try tensor.converted(to: tensor.elementType.inNumPy)
        (elementType, count) = (stored.elementType, stored.elementCount)
        bytes = try stored.withContiguousBytes { Array($0) }
    }

    /// The row of a record without an answer: NaN, or 0 in an array of integers.
    package init(missing elementType: ElementType, count: Int) {
        func bytes<Element: BitwiseCopyable>(_ element: Element) -> [UInt8] {
            [Element](repeating: element, count: count).withUnsafeBytes { Array($0) }
        }
        self.bytes =
            switch elementType {
            case .float16: bytes(Float16.nan)
            case .float32: bytes(Float.nan)
            case .float64: bytes(Double.nan)
            default: [UInt8](repeating: 0, count: count * elementType.byteCount)
            }
        (self.elementType, self.count) = (elementType, count)
    }
}
