import Graphs
import Images
import Platform
import Preparation
import Tensors

extension Embedder {
    /// How several vectors of a picture become one.
    public enum Pooling: String, Sendable, CaseIterable {
        /// Their mean.
        case mean
        /// The first, which is the class token of many transformers.
        case first
    }
}

extension Embedder.Pooling {
    /// The vector of one picture.
    ///
    /// - Parameters:
    ///   - tensor: A vector [C], tokens [L, C], or maps: [C, H, W], or [H, W, C] with channels last. The mean of maps
    ///     is taken over all positions.
    ///   - layout: The place of the channels of maps.
    /// - Throws: ``RecordError`` for other shapes.
    func vector(of tensor: Tensor, _ layout: Preprocessing.Layout) throws(RecordError) -> [Float] {
        let numbers = tensor.elements(as: Float.self)
        let shape = tensor.shape
        let (count, extent, step, stride): (Int, Int, Int, Int)
        switch shape.count {
        case 1: return numbers
        case 2: (count, extent, step, stride) = (shape[0], shape[1], shape[1], 1)
        case 3 where layout == .channelsFirst:
            (count, extent, step, stride) = (shape[1] * shape[2], shape[0], 1, shape[1] * shape[2])
        case 3: (count, extent, step, stride) = (shape[0] * shape[1], shape[2], shape[2], 1)
        default: throw Self.refusal("has the shape \(shape), which is neither a vector nor tokens nor maps")
        }
        guard count > 0, extent > 0, numbers.count == count * extent else { throw Self.refusal("is empty: \(shape)") }
        if self == .first && shape.count == 2 { return Array(numbers[..<extent]) }
        return (0..<extent).map { channel in
            let sum = (0..<count).reduce(0.0) { $0 + Double(numbers[$1 * step + channel * stride]) }
            return Float(sum / Double(count))
        }
    }

    /// The number of elements of the vector; nil when it is not fixed.
    func extent(_ extents: [Int?]?, _ layout: Preprocessing.Layout) -> Int? {
        guard let extents else { return nil }
        switch extents.count {
        case 1: return extents[0]
        case 2: return extents[1]
        case 3: return layout == .channelsFirst ? extents[0] : extents[2]
        default: return nil
        }
    }

    private static func refusal(_ message: String) -> RecordError {
        RecordError(stage: "predict", code: "shape", message: "the output \(message)")
    }
}
