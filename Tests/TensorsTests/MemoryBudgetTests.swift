import Tensors
import Testing

@Suite("Memory budgets")
struct MemoryBudgetTests {
    @Test("What is taken is counted in whole cache lines, and given back")
    func counts() throws {
        let budget = MemoryBudget(limit: 1024)
        do {
            let first = try Tensor(zeros: .float32, shape: [1], budget: budget)
            #expect(budget.bytesInUse == 64)
            let second = try Tensor(zeros: .uint8, shape: [65], budget: budget)
            #expect(budget.bytesInUse == 192)
            withExtendedLifetime((first, second)) {}
        }
        #expect(budget.bytesInUse == 0)
        #expect(budget.allocationCount == 2)
    }

    @Test("A view keeps its memory, and the last one gives it back")
    func viewsKeepMemory() throws {
        let budget = MemoryBudget(limit: 1024)
        var view: Tensor? = try Tensor(zeros: .uint8, shape: [4, 64], budget: budget).sliced(axis: 0, 1..<2)
        #expect(budget.bytesInUse == 256)
        #expect(view?.shape == [1, 64])
        view = nil
        #expect(budget.bytesInUse == 0)
    }

    @Test("More than the limit is refused, and nothing stays reserved")
    func refuses() throws {
        let budget = MemoryBudget(limit: 256)
        let tensor = try Tensor(zeros: .uint8, shape: [128], budget: budget)
        #expect(throws: TensorError.overBudget(requested: 192, inUse: 128, limit: 256)) {
            try Tensor(zeros: .uint8, shape: [129], budget: budget)
        }
        #expect(throws: TensorError.self) { try Tensor(zeros: .uint8, shape: [1 << 62], budget: budget) }
        #expect(budget.bytesInUse == 128)
        #expect(budget.allocationCount == 1)
        _ = try Tensor(zeros: .uint8, shape: [128], budget: budget)
        withExtendedLifetime(tensor) {}
    }

    @Test("What the system refuses is an error, and nothing stays reserved")
    func systemRefuses() {
        let budget = MemoryBudget(limit: .max)
        let bytes = 1 << 60
        #expect(throws: TensorError.outOfMemory(requested: bytes)) {
            try Storage(byteCount: bytes, zeroed: false, budget: budget)
        }
        #expect(budget.bytesInUse == 0)
    }

    @Test("Memory goes back when writing the elements fails")
    func releasesAfterFailure() {
        struct Failure: Error {}
        let budget = MemoryBudget(limit: 1024)
        #expect(throws: Failure.self) {
            try Tensor(.float32, shape: [8], budget: budget) { _ in throw Failure() }
        }
        #expect(budget.allocationCount == 1)
        #expect(budget.bytesInUse == 0)
    }

    @Test("Taken from many threads at once, the limit holds and everything comes back")
    func isThreadSafe() async {
        let budget = MemoryBudget(limit: 64 * 8)
        let excesses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).count { _ in
                        let tensors = try? (0..<3).map { _ in try Tensor(zeros: .uint8, shape: [64], budget: budget) }
                        return withExtendedLifetime(tensors) { !(0...512).contains(budget.bytesInUse) }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(excesses == 0)
        #expect(budget.bytesInUse == 0)
        #expect(budget.allocationCount > 500)
    }

    @Test("A limit grows with the files that are read only when it was asked to")
    func earns() {
        let budget = MemoryBudget(limit: 1000)
        budget.earn(modelByteCount: 100)
        #expect(budget.limit == 1000)
        budget.restrict(to: 2000)
        budget.earn(arrayByteCount: 100)
        #expect(budget.limit == 2400)
        budget.earn(modelByteCount: 10)
        #expect(budget.limit == 2400 + 10 * MemoryBudget.bytesPerModelByte)
        budget.earn(modelByteCount: -5)
        budget.earn(arrayByteCount: -5)
        #expect(budget.limit == 2400 + 10 * MemoryBudget.bytesPerModelByte)
        budget.earn(modelByteCount: .max)
        #expect(budget.limit == MemoryBudget.maximumLimit)
        budget.limit = 500
        budget.earn(modelByteCount: 100)
        #expect(budget.limit == 500)
    }

    @Test("What was refused is known, and said in MiB")
    func refusedBytes() throws {
        let budget = MemoryBudget(limit: 3 << 20)
        #expect(budget.maximumRefusedBytes == 0)
        let tensor = try Tensor(zeros: .uint8, shape: [1 << 20], budget: budget)
        let error = #expect(throws: TensorError.self) {
            try Tensor(zeros: .uint8, shape: [5 << 19], budget: budget)
        }
        #expect(error?.description == "needs 3 MiB; 1 MiB of the memory budget of 3 MiB are in use")
        #expect(budget.maximumRefusedBytes == 7 << 19)
        withExtendedLifetime(tensor) {}
    }

    @Test("More axes than a tensor may have are refused")
    func rank() throws {
        #expect(try Shape.elementCount([Int](repeating: 1, count: Shape.maximumRank)) == 1)
        #expect(throws: TensorError.rank(Shape.maximumRank + 1)) {
            try Shape.elementCount([Int](repeating: 1, count: Shape.maximumRank + 1))
        }
    }
}
