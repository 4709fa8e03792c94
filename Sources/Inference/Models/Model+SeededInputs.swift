import Graphs
import Platform
import Tensors

extension Model {
    /// Random tensors for every input, the same for the same seed: numbers from −1 to 1, and 0 or 1 where numbers are whole.
    ///
    /// They say nothing about accuracy. Where the network is fixed to one image, there are as many as asked for, which run
    /// one by one; where it is fixed to another number, there is that number of images.
    ///
    /// - Parameter shapes: The extents of inputs that the network leaves open, by name; a first extent of 1 stands for the
    ///   batch.
    /// - Throws: ``ApusError/usage(_:)`` when the inputs leave more than the batch open, ``ApusError/memory(_:)``.
    public func seededInputs(
        batch: Int = 1, seed: UInt64 = 0, shapes: [String: [Int]] = [:]
    ) throws(ApusError) -> [String: Tensor] {
        let shapes = try inputShapes(forBatch: batch, given: shapes)
        var inputs: [String: Tensor] = [:]
        for (id, runShape) in zip(graph.inputs, shapes) {
            let shape = hasFixedBatchOfOne ? [batch] + runShape.dropFirst() : runShape
            var random = SplitMix64(seed: seed)
            let value = graph[id]
            do {
                inputs[value.name] = try Self.random(value.elementType ?? .float32, shape, &random)
            } catch {
                throw ApusError(error, model: name)
            }
        }
        return inputs
    }

    private static func random(
        _ type: ElementType, _ shape: [Int], _ random: inout SplitMix64
    ) throws -> Tensor {
        let count = try Shape.elementCount(shape)
        // The others are made by way of arrays.
        if type != .float32 { try Tensor.claim(shape) }
        switch type {
        case .float32: return try Tensor(shape: shape) { _ in Float(2 * random.nextUnit() - 1) }
        case .float64, .float16:
            return try Tensor((0..<count).map { _ in 2 * random.nextUnit() - 1 }, as: type, shape: shape)
        default:
            return try Tensor((0..<count).map { _ in Int64(random.next() & 1) }, as: type, shape: shape)
        }
    }
}
