import Tensors
import Testing

@Suite("Shapes")
struct ShapeTests {
    @Test(
        "Negative extents are refused, whatever stands beside them", arguments: [[-1], [3, -2], [0, -1], [-1, -1]])
    func refusesNegative(_ shape: [Int]) {
        #expect(throws: TensorError.negativeDimension(shape)) { try Shape.elementCount(shape) }
        #expect(throws: TensorError.negativeDimension(shape)) { try Tensor(zeros: .float32, shape: shape) }
        #expect(throws: TensorError.negativeDimension(shape)) { try Tensor([Float](), shape: shape) }
    }

    @Test(
        "Products that do not fit 63 bits are refused, and beside a zero those whose bytes do not",
        arguments: [
            [Int.max, 2], [1 << 32, 1 << 31], [0, 1 << 40, 1 << 40], [.max, .max, .max],
            [2, 16377, 0, 163_839, 0, 2_097_151, 0, 256, 0],
        ])
    func refusesOverflow(_ shape: [Int]) {
        #expect(throws: TensorError.overflow(shape)) { try Shape.elementCount(shape) }
        #expect(throws: TensorError.overflow(shape)) { try Tensor(zeros: .bool, shape: shape) }
    }

    @Test("Bytes are checked as well as elements")
    func refusesOverflowOfBytes() {
        #expect(throws: TensorError.overflow([1 << 61])) { try Shape.byteCount([1 << 61], .float32) }
        #expect(throws: TensorError.overflow([1 << 61])) { try Tensor(zeros: .float32, shape: [1 << 61]) }
    }

    @Test("Elements are counted")
    func counts() throws {
        #expect(try Shape.elementCount([]) == 1)
        #expect(try Shape.elementCount([2, 3, 4]) == 24)
        #expect(try Shape.elementCount([5, 0, 7]) == 0)
        #expect(try Shape.byteCount([2, 3], .float64) == 48)
        #expect(Shape.rowMajorStrides([2, 3, 4]) == [12, 4, 1])
        #expect(Shape.rowMajorStrides([]).isEmpty)
    }

    @Test("Symbols are bound to numbers")
    func binds() {
        let shape: Shape = [.batch, 3, .symbol("W")]
        #expect(shape.binding(["N": 2, "W": 5]) == [2, 3, 5])
        #expect(shape.binding(["N": 2]) == nil)
        #expect(shape.fixed == nil)
        #expect(Shape([1, 2]).fixed == [1, 2])
        #expect("\(shape)" == "[N, 3, W]")
    }
}
