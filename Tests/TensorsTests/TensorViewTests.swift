import Tensors
import Testing

@Suite("Views of tensors")
struct TensorViewTests {
    /// The numbers 0, 1, 2, … in a tensor of this shape.
    private func counting(_ shape: [Int]) throws -> Tensor {
        try Tensor((0..<shape.reduce(1, *)).map(Int32.init), shape: shape)
    }

    @Test("A slice is a part of the same memory")
    func slices() throws {
        let tensor = try counting([2, 3, 4])
        let slice = try tensor.sliced(axis: 1, 1..<3)
        #expect(slice.shape == [2, 2, 4])
        #expect(slice.elements(as: Int32.self) == [4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23])
        #expect(slice.storage === tensor.storage)
        #expect(!slice.isContiguous)
        #expect(try slice.contiguous().elements(as: Int32.self) == slice.elements(as: Int32.self))
        #expect(try tensor.sliced(axis: 0, 1..<1).elements(as: Int32.self).isEmpty)
    }

    @Test("A slice outside the tensor is refused", arguments: [(0, 0..<3), (3, 0..<1), (-1, 0..<1), (1, -1..<2)])
    func refusesSlices(_ axis: Int, _ range: Range<Int>) throws {
        let tensor = try counting([2, 3, 4])
        #expect(
            throws: TensorError.view("slice \(range) of axis \(axis) lies outside shape [2, 3, 4]")
        ) { try tensor.sliced(axis: axis, range) }
    }

    @Test("A transposition reorders axes")
    func transposes() throws {
        let tensor = try counting([2, 3])
        let transposed = try tensor.transposed([1, 0])
        #expect(transposed.shape == [3, 2])
        #expect(transposed.elements(as: Int32.self) == [0, 3, 1, 4, 2, 5])
        #expect(transposed.storage === tensor.storage)
        for wrong in [[0], [0, 0], [1, 2], [0, 1, 2]] {
            #expect(throws: TensorError.self) { try tensor.transposed(wrong) }
        }
    }

    @Test("A reshape keeps the row-major order, and copies only what has gaps")
    func reshapes() throws {
        let tensor = try counting([2, 6])
        let reshaped = try tensor.reshaped(to: [3, 4])
        #expect(reshaped.storage === tensor.storage)
        #expect(reshaped.elements(as: Int32.self) == Array(0..<12))
        let column = try tensor.sliced(axis: 1, 2..<4).reshaped(to: [4])
        #expect(column.storage !== tensor.storage)
        #expect(column.elements(as: Int32.self) == [2, 3, 8, 9])
        let tail = try tensor.sliced(axis: 0, 1..<2).reshaped(to: [2, 3])
        #expect(tail.storage === tensor.storage)
        #expect(tail.elements(as: Int32.self) == Array(6..<12))
        #expect(throws: TensorError.elementCount(expected: 10, found: 12, shape: [2, 5])) {
            try tensor.reshaped(to: [2, 5])
        }
    }

    @Test("As many elements are given as the shape holds")
    func checksElementCount() {
        #expect(throws: TensorError.elementCount(expected: 6, found: 5, shape: [2, 3])) {
            try Tensor([Float](repeating: 0, count: 5), shape: [2, 3])
        }
    }

    @Test("Memory is aligned to 64 bytes, and zeros are zeros")
    func alignsMemory() throws {
        for count in [0, 1, 3, 64, 1000] {
            let tensor = try Tensor(zeros: .float32, shape: [count])
            #expect(UInt(bitPattern: tensor.firstElement) % 64 == 0)
            #expect(tensor.elements(as: Float.self) == [Float](repeating: 0, count: count))
        }
    }
}
