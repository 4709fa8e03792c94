import Glibc
import Graphs
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLOv3 and YOLOv3-Tiny as Darknet's layers give them: a head for every stride, with
/// `[x, y, w, h, objectness, class…]` for every anchor of every cell.
///
///     center = (σ([x, y]) + cell) × stride,  size = exp([w, h]) × anchor,  confidence = σ(objectness) × σ(class)
///
/// Shapes: `[1, anchors × (5 + classes), rows, columns]` or `[1, rows, columns, anchors × (5 + classes)]`, in any
/// order.
/// Source: Redmon and Farhadi, 2018, https://arxiv.org/abs/1804.02767; anchors of `yolov3.cfg` and `yolov3-tiny.cfg` in
/// https://github.com/pjreddie/darknet
package struct YOLOv3Decoder: ObjectDecoder {
    package static let name = DecoderName.yolov3
    package static let summary = "a head [1, anchors × (5 + classes), rows, columns] for every stride"

    /// The width and height of every anchor in pixels, by head, the finest first.
    private let anchors: [[[Float]]]

    private static let standardAnchors: [[[Float]]] = [
        [[10, 13], [16, 30], [33, 23]],
        [[30, 61], [62, 45], [59, 119]],
        [[116, 90], [156, 198], [373, 326]],
    ]
    private static let tinyAnchors: [[[Float]]] = [
        [[10, 14], [23, 27], [37, 58]],
        [[81, 82], [135, 169], [344, 319]],
    ]

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard (2...3).contains(signature.outputs.count), let size = signature.inputSize else { return false }
        return signature.outputs.allSatisfy { output in
            guard let shape = output.shape, shape.count == 4 else { return false }
            return Grid(shape.map { $0 ?? 0 }, inputSize: size, anchorCount: 3) != nil
        }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .darknet, color: .middleGray, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        let standard = signature.outputs.count == 2 ? Self.tinyAnchors : Self.standardAnchors
        anchors = configuration.anchors ?? standard
        guard anchors.count == signature.outputs.count,
            anchors.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.count == 2 } })
        else {
            throw Self.refusal(of: signature, "\(anchors.count) heads, one for each list of anchors")
        }
    }

    /// The memory layout of the numbers of a head.
    private struct Grid {
        let rows: Int
        let columns: Int
        let anchorExtent: Int
        /// The strides between the numbers of a cell, between cells of a row, and between rows.
        let strides: (number: Int, column: Int, row: Int)

        /// Finds the layout of a head's shape; nil unless rows and columns divide the input by the same number.
        init?(_ shape: [Int], inputSize: ImageSize, anchorCount: Int) {
            func fits(_ rows: Int, _ columns: Int, _ extent: Int) -> Bool {
                rows > 0 && columns > 0 && inputSize.height % rows == 0 && inputSize.width % columns == 0
                    && inputSize.height / rows == inputSize.width / columns
                    && extent % anchorCount == 0 && extent / anchorCount >= 6
            }
            guard shape.count == 4, anchorCount > 0 else { return nil }
            if fits(shape[2], shape[3], shape[1]) {
                (rows, columns, anchorExtent) = (shape[2], shape[3], shape[1] / anchorCount)
                strides = (shape[2] * shape[3], 1, shape[3])
            } else if fits(shape[1], shape[2], shape[3]) {
                (rows, columns, anchorExtent) = (shape[1], shape[2], shape[3] / anchorCount)
                strides = (1, shape[3], shape[2] * shape[3])
            } else {
                return nil
            }
        }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.count == anchors.count else {
            throw Self.mismatch("there are \(outputs.count) outputs, not \(anchors.count) heads")
        }
        var found: [ObjectCandidate] = []
        let byFineness = outputs.sorted { $0.elementCount > $1.elementCount }
        for (head, anchors) in zip(byFineness, anchors) {
            guard head.shape.first == 1,
                let grid = Grid(head.shape, inputSize: inputSize, anchorCount: anchors.count)
            else {
                throw Self.mismatch("a head of \(head.shape) does not fit an input of \(inputSize)")
            }
            found += Self.candidates(
                try head.finiteElements(), grid, anchors, inputSize: inputSize, above: confidence)
        }
        return found
    }

    private static func candidates(
        _ values: [Float], _ grid: Grid, _ anchors: [[Float]], inputSize: ImageSize, above confidence: Float
    ) -> [ObjectCandidate] {
        var found: [ObjectCandidate] = []
        let step = grid.strides.number
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                for (position, anchor) in anchors.enumerated() {
                    let start =
                        row * grid.strides.row + column * grid.strides.column + position * grid.anchorExtent * step
                    let objectness = sigmoid(values[start + 4 * step])
                    guard objectness >= confidence else { continue }
                    let scores = (5..<grid.anchorExtent).map { objectness * sigmoid(values[start + $0 * step]) }
                    guard let best = ObjectCandidate.best(scores), best.score >= confidence else { continue }
                    found.append(
                        ObjectCandidate(
                            centerX: (sigmoid(values[start]) + Float(column)) / Float(grid.columns),
                            centerY: (sigmoid(values[start + step]) + Float(row)) / Float(grid.rows),
                            width: exp(values[start + 2 * step]) * anchor[0] / Float(inputSize.width),
                            height: exp(values[start + 3 * step]) * anchor[1] / Float(inputSize.height),
                            confidence: best.score, classIndex: best.index, scores: scores))
                }
            }
        }
        return found
    }

    private static func sigmoid(_ value: Float) -> Float { 1 / (1 + exp(-value)) }
}
