import Tensors
import Testing

@Suite("Memory of weights")
struct WeightMemoryTests {
    private func filled(_ memory: WeightMemory, _ count: Int, with value: Float) throws -> Tensor {
        try memory.tensor(.float32, shape: [count]) { bytes in
            #expect(bytes.count == 4 * count)
            bytes.bindMemory(to: Float.self).initialize(repeating: value)
        }
    }

    @Test("Tensors that are expected share a block, each on a line of its own")
    func sharesBlocks() throws {
        let memory = WeightMemory(expecting: 3 << 20)
        let counts = [1, 17, 0, 500_000, 16, 200_000]
        let tensors = try counts.enumerated().map { try filled(memory, $1, with: Float($0)) }
        for (index, tensor) in tensors.enumerated() {
            #expect(tensor.elements(as: Float.self) == [Float](repeating: Float(index), count: counts[index]))
            #expect(Int(bitPattern: tensor.firstElement) % 64 == 0)
            #expect(tensor.storage === tensors[0].storage)
        }
    }

    @Test("More than was expected is possible")
    func exceedsExpectation() throws {
        let memory = WeightMemory(expecting: 0)
        let counts = (0..<60).map { 1 + $0 * $0 * 37 % 30_000 }
        let tensors = try counts.enumerated().map { try filled(memory, $1, with: Float($0)) }
        for (index, tensor) in tensors.enumerated() {
            #expect(tensor.elements(as: Float.self) == [Float](repeating: Float(index), count: counts[index]))
        }
    }

    @Test("What no memory holds is refused")
    func refuses() {
        let memory = WeightMemory(expecting: 0)
        #expect(throws: TensorError.self) { try memory.tensor(.float32, shape: [.max, 2]) { _ in } }
        #expect(throws: TensorError.self) { try memory.tensor(.uint8, shape: [.max]) { _ in } }
        #expect(throws: TensorError.self) { try memory.tensor(.uint8, shape: [.max / 3]) { _ in } }
    }

    @Test("Threads that ask at once get memory of their own")
    func isThreadSafe() async throws {
        let memory = WeightMemory(expecting: 1 << 20)
        try await withThrowingTaskGroup(of: (Float, Tensor).self) { group in
            for index in 0..<64 {
                group.addTask { (Float(index), try filled(memory, 1 + index * 97, with: Float(index))) }
            }
            for try await (value, tensor) in group {
                #expect(tensor.elements(as: Float.self).allSatisfy { $0 == value })
            }
        }
    }
}
