import Planning
import Tensors
import Testing

@Suite("Rearranged weights")
struct PackedWeightsTests {
    @Test("Weights are rearranged once for each arrangement")
    func sharesAcrossPlans() throws {
        let weights = PackedWeights()
        let tensor = try Tensor([Float](arrayLiteral: 1, 2, 3, 4), shape: [2, 2])
        var packings = 0
        func pack(_ tensor: Tensor) throws -> Tensor {
            packings += 1
            return try tensor.transposed([1, 0]).contiguous()
        }
        let first = try weights.tensor(tensor, packing: "transposed", pack: pack)
        let second = try weights.tensor(tensor, packing: "transposed", pack: pack)
        #expect(first.storage === second.storage)
        #expect(packings == 1)
        let other = try weights.tensor(tensor, packing: "twice", pack: pack)
        #expect(other.storage !== first.storage)
        let part = try tensor.sliced(axis: 0, 1..<2)
        #expect(try weights.tensor(part, packing: "transposed", pack: pack).elements(as: Float.self) == [3, 4])
        #expect(packings == 3)
    }

    @Test("Views of one memory that differ in shape or order are different weights")
    func tellsViewsApart() throws {
        let weights = PackedWeights()
        let tensor = try Tensor([Float](arrayLiteral: 1, 2, 3, 4), shape: [2, 2])
        let transposed = try tensor.transposed([1, 0])
        let plain = try weights.tensor(tensor, packing: "contiguous") { try $0.contiguous() }
        let turned = try weights.tensor(transposed, packing: "contiguous") { try $0.contiguous() }
        let flat = try weights.tensor(tensor.reshaped(to: [4]), packing: "contiguous") { try $0.contiguous() }
        #expect(plain.elements(as: Float.self) == [1, 2, 3, 4])
        #expect(turned.elements(as: Float.self) == [1, 3, 2, 4])
        #expect(flat.shape == [4])
    }

    @Test("Many threads that ask at once get the same memory")
    func isThreadSafe() async throws {
        let weights = PackedWeights()
        let tensor = try Tensor([Float](repeating: 1, count: 64), shape: [64])
        let identities = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let packed = try weights.tensor(tensor, packing: "copy") {
                        try Tensor($0.elements(as: Float.self), shape: [64])
                    }
                    return ObjectIdentifier(packed.storage)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(identities.count == 1)
    }
}
