import Planning
import Tensors
import Testing

@Suite("Layouts and operands")
struct LayoutTests {
    @Test("Channels are adjacent in channels-last values, the other axes keep their order")
    func strides() {
        #expect(Layout.rowMajor.strides([2, 3, 4, 5]) == [60, 20, 5, 1])
        #expect(Layout.channelsLast.strides([2, 3, 4, 5]) == [60, 1, 15, 3])
        #expect(Layout.channelsLast.strides([2, 3, 4]) == [12, 1, 3])
        #expect(Layout.channelsLast.strides([2, 3, 4, 5, 6]) == [360, 1, 90, 18, 3])
        #expect(Layout.channelsLast.strides([2, 3]) == [3, 1])
        #expect(Layout.channelsLast.strides([]).isEmpty)
    }

    @Test("The order is the same with one channel, one pixel, or fewer than three axes")
    func coincides() {
        #expect(Layout.coincide([2, 3]))
        #expect(Layout.coincide([2, 1, 4, 5]))
        #expect(Layout.coincide([2, 3, 1, 1]))
        #expect(!Layout.coincide([2, 3, 1, 2]))
        #expect(!Layout.coincide([1, 2, 2]))
    }

    @Test("A slice starts where its first element lies")
    func slices() {
        let whole = Operand(
            elementType: .float32, shape: [2, 8, 4, 4], strides: Layout.channelsLast.strides([2, 8, 4, 4]),
            place: .arena(offset: 128))
        let part = whole.slice(axis: 1, start: 3, count: 2)
        #expect(part.shape == [2, 2, 4, 4])
        #expect(part.strides == whole.strides)
        guard case .arena(offset: 140) = part.place else {
            Issue.record("lies at \(part.place)")
            return
        }
        #expect(part.elementCount == 64)
        let rows = part.slice(axis: 2, start: 1, count: 1)
        guard case .arena(offset: 140 + 32 * 4) = rows.place else {
            Issue.record("lies at \(rows.place)")
            return
        }
    }

    @Test("Operands are the same memory when offset and order agree, whatever the strides of axes of extent 1")
    func comparesMemory() {
        func operand(_ shape: [Int], _ strides: [Int], at offset: Int) -> Operand {
            Operand(elementType: .float32, shape: shape, strides: strides, place: .arena(offset: offset))
        }
        let one = operand([1, 2, 3], [6, 3, 1], at: 64)
        #expect(one.isSameMemory(as: operand([1, 2, 3], [99, 3, 1], at: 64)))
        #expect(!one.isSameMemory(as: operand([1, 2, 3], [6, 3, 1], at: 128)))
        #expect(!one.isSameMemory(as: operand([1, 2, 3], [6, 1, 2], at: 64)))
        #expect(!one.isSameMemory(as: operand([1, 3, 2], [6, 3, 1], at: 64)))
        var input = one
        input.place = .input(0)
        #expect(!one.isSameMemory(as: input) && input.isSameMemory(as: input))
        let part = input.slice(axis: 1, start: 1, count: 1)
        #expect(part.shape == [1, 1, 3] && !part.isSameMemory(as: input.slice(axis: 1, start: 0, count: 1)))
        #expect(part.isSameMemory(as: input.slice(axis: 1, start: 1, count: 1)))
    }
}
