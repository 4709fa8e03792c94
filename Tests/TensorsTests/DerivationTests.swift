import Synchronization
import Tensors
import Testing

@Suite("Derived elements")
struct DerivationTests {
    private static let count = 1 << 15

    /// The numbers 0, 1, 2, …, and how often they were derived.
    private final class Numbers: Sendable {
        let derivations = Atomic<Int>(0)

        func tensor(_ shape: [Int] = [DerivationTests.count]) throws -> Tensor {
            try Tensor(deriving: .float32, shape: shape) { [self] target in
                derivations.add(1, ordering: .relaxed)
                let elements = target.assumingMemoryBound(to: Float.self)
                for index in 0..<shape.reduce(1, *) { elements[index] = Float(index) }
            }
        }
    }

    private static let expected = (0..<count).map(Float.init)

    @Test("They are derived for every reader that copies them, and not kept")
    func derivesAgain() throws {
        let numbers = Numbers()
        let tensor = try numbers.tensor()
        #expect(numbers.derivations.load(ordering: .relaxed) == 0)
        #expect(tensor.elements(as: Float.self) == Self.expected)
        #expect(tensor.elements(as: Double.self) == Self.expected.map(Double.init))
        #expect(tensor.isPendingDerivation)
        #expect(numbers.derivations.load(ordering: .relaxed) == 2)
    }

    @Test("Whoever asks for the memory gets them there, once, from any thread")
    func derivesOnceInPlace() async throws {
        let numbers = Numbers()
        let tensor = try numbers.tensor([4, Self.count / 4])
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (try? tensor.withContiguousBytes { $0.load(fromByteOffset: 12, as: Float.self) }) == 3 }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(!tensor.isPendingDerivation)
        #expect(try tensor.transposed([1, 0]).elements(as: Float.self)[..<4] == [0, 8192, 16384, 24576])
        #expect(numbers.derivations.load(ordering: .relaxed) == 1)
    }

    @Test("A view of a part has its elements")
    func views() throws {
        let numbers = Numbers()
        let part = try numbers.tensor().sliced(axis: 0, 100..<103)
        #expect(part.elements(as: Float.self) == [100, 101, 102])
        #expect(numbers.derivations.load(ordering: .relaxed) == 1)
    }

    @Test("Few elements are derived at once")
    func derivesFewAtOnce() throws {
        let numbers = Numbers()
        let tensor = try numbers.tensor([10])
        #expect(numbers.derivations.load(ordering: .relaxed) == 1)
        #expect(!tensor.isPendingDerivation)
        #expect(tensor.elements(as: Float.self) == Array(Self.expected[..<10]))
    }

    @Test("Elements that are lost are errors where there can be one, and never numbers")
    func loses() throws {
        let error = TensorError.unreadable("gone")
        let tensor = try Tensor(deriving: .float32, shape: [Self.count]) { _ throws(TensorError) in throw error }
        #expect(throws: error) { try tensor.withContiguousBytes { _ in } }
        #expect(throws: error) { try tensor.storage.load() }
        #expect(throws: error) { try ScratchMemory().withElements(of: tensor) { $0 } }
        #expect(throws: error) { try tensor.transposed([0]).sliced(axis: 0, 0..<4).withContiguousBytes { _ in } }
        #expect(tensor.elements(as: Float.self).allSatisfy { $0.isNaN })
        #expect(tensor.firstElement.load(as: Float.self).isNaN)
        #expect(throws: error) { try Tensor(deriving: .float32, shape: [1]) { _ throws(TensorError) in throw error } }
    }

    @Test("Scratch memory is used again, unless the result lies in it")
    func reusesScratch() throws {
        let scratch = ScratchMemory()
        let (numbers, others) = (Numbers(), Numbers())
        var addresses: [UnsafeMutableRawPointer] = []
        for _ in 0..<2 {
            let sum = try scratch.withElements(of: numbers.tensor()) { tensor in
                addresses.append(tensor.firstElement)
                return try Tensor([tensor.elements(as: Float.self).reduce(0, +)], shape: [1])
            }
            #expect(sum.elements(as: Float.self) == [Self.expected.reduce(0, +)])
        }
        #expect(addresses[0] == addresses[1])
        let kept = try scratch.withElements(of: numbers.tensor()) { try $0.sliced(axis: 0, 5..<7) }
        _ = try scratch.withElements(of: others.tensor()) { try Tensor($0.elements(as: Float.self), shape: $0.shape) }
        #expect(kept.elements(as: Float.self) == [5, 6])
        let plain = try Tensor([Float](arrayLiteral: 1), shape: [1])
        #expect(try scratch.withElements(of: plain) { $0 }.storage === plain.storage)
    }

    @Test("Memory of derived elements is counted and given back")
    func countsMemory() throws {
        let budget = MemoryBudget(limit: 1 << 20)
        do {
            let storage = try Storage(byteCount: 100_000, budget: budget) { $0.storeBytes(of: 7, as: UInt8.self) }
            #expect(budget.bytesInUse == 100_032)
            #expect(storage.base.load(as: UInt8.self) == 7)
        }
        #expect(budget.bytesInUse == 0)
    }
}
