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
        "Products beyond the limit are refused, beside a zero, too",
        arguments: [
            [Int.max, 2], [1 << 32, 1 << 31], [0, 1 << 40, 1 << 40], [.max, .max, .max], [.max], [(1 << 40) + 1],
            [1 << 20, 1 << 21], [0, (1 << 40) + 1],
            [2, 16377, 0, 163_839, 0, 2_097_151, 0, 256, 0],
        ])
    func refusesOverflow(_ shape: [Int]) {
        #expect(throws: TensorError.overflow(shape)) { try Shape.elementCount(shape) }
        #expect(throws: TensorError.overflow(shape)) { try Tensor(zeros: .bool, shape: shape) }
    }

    @Test("The largest shapes leave room for sums of bytes over many values", arguments: ElementType.allCases)
    func leavesRoom(_ type: ElementType) throws {
        let count = Shape.maximumElementCount
        let bytes = try Shape.byteCount([1 << 20, 1, 1 << 20], type)
        #expect(bytes == count * type.byteCount)
        #expect(!bytes.multipliedReportingOverflow(by: 500_000).overflow)
        #expect(try Shape.byteCount([count, 0], type) == 0)
        #expect(throws: TensorError.overflow([count + 1])) { try Shape.byteCount([count + 1], type) }
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
