import Graphs
import Images
import Models
import Platform
import Preparation
import Tensors

/// The outputs of a network, picture by picture.
package struct PictureOutputs: Sendable {
    /// An output of one picture.
    package struct Output: Sendable {
        package let name: String
        /// The extents for one picture, without the axis of the batch; an extent, or all of them, is nil when not
        /// fixed.
        package let extents: [Int?]?
        /// The extents for one picture when all are fixed.
        package var shape: [Int]? {
            guard let extents, !extents.contains(where: { $0 == nil }) else { return nil }
            return extents.compactMap { $0 }
        }
        /// The type of the elements.
        package let elementType: ElementType
        /// The meaning of integers; nil for other numbers.
        package let quantization: Quantization?
        /// Whether the first axis is that of the batch.
        let hasBatchAxis: Bool
    }

    /// The outputs, in the network's order.
    package let outputs: [Output]
    /// Whether several pictures may run as one batch: every output has an axis of the batch, and axis 0 is not known to
    /// be something else.
    package let isBatched: Bool
    private let model: String

    /// - Parameter pictureSize: The size of some picture, for networks that leave it open; nil when none is known.
    package init(_ model: Model, pictureSize: ImageSize? = nil) {
        self.model = model.name
        let graph = model.graph
        let single = Self.shapes(of: model, batch: 1, pictureSize)
        // One picture without an axis of the batch gives outputs without one.
        let input = try? ImageInput(model, preprocessing: nil)
        let isUnbatched = input?.isUnbatched ?? false
        let runsSingly = model.hasFixedBatchOfOne || input?.isBatchFixed ?? false
        let double = runsSingly ? nil : Self.shapes(of: model, batch: 2, pictureSize)
        let declared = model.declaredOutputExtents
        outputs = graph.outputs.enumerated().map { position, id in
            let shape = single?[position] ?? declared[position]
            let isOne = !isUnbatched && shape?.first.map { $0 == 1 || $0 == nil } ?? false
            let grows = double?[position].map { $0.first == 2 } ?? true
            let extents = shape.map { Array(isOne && grows ? $0.dropFirst() : $0[...]) }
            return Output(
                name: graph[id].name, extents: extents, elementType: graph[id].elementType ?? .float32,
                quantization: graph[id].quantization, hasBatchAxis: isOne && grows)
        }
        // Where every image runs alone, an output may begin with another axis, such as that of the places of a text.
        let beginWithOne = outputs.indices.allSatisfy { (single?[$0] ?? declared[$0])?.first == .some(1) }
        let isKnown = double != nil || model.hasFixedBatchOfOne && beginWithOne
        isBatched = isKnown && outputs.allSatisfy(\.hasBatchAxis) && model.reasonAgainstBatch == nil
    }

    /// The extents of every output for a batch, as far as they are known; nil where those of the inputs are open.
    private static func shapes(of model: Model, batch: Int, _ pictureSize: ImageSize?) -> [[Int?]?]? {
        guard let shapes = model.inputShapes(forBatch: batch) ?? pictureSize.flatMap({ model.inputShapes(batch, $0) }),
            let types = try? model.graph.inferKnownTypes(inputShapes: shapes)
        else { return nil }
        return model.graph.outputs.map { types[$0.index].map { $0.shape } }
    }

    /// The numbers for which the outputs of one picture stand, where they are quantized.
    package func dequantized(_ rows: [Tensor]) throws(TensorError) -> [Tensor] {
        try zip(outputs, rows).map { (output, row) throws(TensorError) in
            guard let quantization = output.quantization else { return row }
            return try row.dequantized(quantization)
        }
    }

    /// The first output of a picture, as the network gives it.
    ///
    /// - Throws: ``RecordError`` for a picture without outputs.
    package func first(of rows: [Tensor]) throws(RecordError) -> Tensor {
        guard let row = rows.first else {
            throw RecordError(stage: "predict", code: "shape", message: "the network has no output")
        }
        return row
    }

    /// The numbers for which the first output of a picture stands.
    ///
    /// - Throws: ``RecordError`` for a picture without outputs; `TensorError`.
    package func firstNumbers(of rows: [Tensor]) throws -> Tensor {
        let row = try first(of: rows)
        return try outputs.first?.quantization.map { try row.dequantized($0) } ?? row
    }

    /// The outputs of each picture, in the network's order and without the axis of the batch.
    ///
    /// - Parameter results: The outputs of one run for all pictures, or of one run for each.
    package func rows(of results: [[String: Tensor]], count: Int) throws(ApusError) -> [[Tensor]] {
        var rows: [[Tensor]] = []
        for index in 0..<count {
            let isShared = count > 1 && results.count == 1
            guard let result = isShared ? results.first : results.dropFirst(index).first else { break }
            var row: [Tensor] = []
            for output in outputs {
                guard let tensor = result[output.name] else { throw .bug("output \(output.name) is missing") }
                do throws(TensorError) {
                    let slice = isShared ? try tensor.sliced(axis: 0, index..<index + 1) : tensor
                    let isRow = output.hasBatchAxis && slice.shape.first == 1
                    row.append(try isRow ? slice.contiguous().reshaped(to: Array(slice.shape.dropFirst())) : slice)
                } catch {
                    throw ApusError(error, model: model)
                }
            }
            rows.append(row)
        }
        return rows
    }
}

extension Model {
    /// The extents of the only input for pictures of a size; nil when it takes none of that size.
    fileprivate func inputShapes(_ count: Int, _ size: ImageSize) -> [[Int]]? {
        guard let input = try? ImageInput(self, preprocessing: nil) else { return nil }
        let channels = input.preprocessing.channelOrder.channelCount
        let spatial = [size.height, size.width]
        let extents = input.layout == .channelsFirst ? [count, channels] + spatial : [count] + spatial + [channels]
        return try? inputShapes(forBatch: count, given: [input.name: count > 1 ? [1] + extents.dropFirst() : extents])
    }
}
