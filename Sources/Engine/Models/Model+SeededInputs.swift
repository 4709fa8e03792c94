import Graphs
import Platform
import Tensors

extension Model {
    /// Random tensors for every input, the same for the same seed: numbers from −1 to 1, or 0 and 1 for integer types.
    ///
    /// They say nothing about accuracy. Where the network fixes the batch to one image, there are `batch` images, which
    /// run one by one; where it fixes another number, there is that number.
    ///
    /// - Parameter shapes: The extents of inputs that the network leaves open, by name; a first extent of 1 stands for
    ///   the batch.
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
        // Other types need an array besides the tensor.
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
