import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLOX and similar detectors without anchors, which give a row `[x, y, w, h, objectness, class…]` for
/// every cell of their grids, the finest grid first.
///
///     center = ([x, y] + cell) × stride,  size = exp([w, h]) × stride,  confidence = objectness × class
///
/// Shapes: `[1, cells, 5 + classes]`. Objectness and classes are probabilities already.
/// Source: https://github.com/Megvii-BaseDetection/YOLOX (`demo_postprocess`)
package struct YOLOXDecoder: ObjectDecoder {
    package static let name = DecoderName.yolox
    package static let summary = "[1, cells, 5 + classes]: offsets within cells, objectness, classes"

    private let strides: [Int]

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape, shape.count == 3,
            let cells = shape[1], let extent = shape[2], extent >= 6, signature.head != .nanodet
        else { return false }
        return cells == signature.cellCount(strides: standardStrides)
    }

    package static func isToldByHead(_ signature: DetectorSignature) -> Bool { signature.head == .yolox }

    private static let standardStrides = [8, 16, 32]

    package static func classCount(of signature: DetectorSignature) -> Int? {
        signature.outputs.first?.shape.flatMap { $0.count == 3 ? $0[2].map { $0 - 5 } : nil }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .yolox, scale: 1, .bgr)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        strides = configuration.strides ?? Self.standardStrides
        guard let shape = signature.outputs.first?.shape, shape.count == 3, shape[2].map({ $0 >= 6 }) ?? true,
            signature.areCells(shape[1], strides: strides)
        else {
            throw Self.refusal(of: signature, "one output [1, cells, 5 + classes]")
        }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1, output.shape[2] >= 6 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, cells, 5 + classes]")
        }
        let (cellCount, extent) = (output.shape[1], output.shape[2])
        let grids = strides.map { (stride: $0, columns: inputSize.width / $0, rows: inputSize.height / $0) }
        let expected = grids.reduce(0) { $0 + $1.columns * $1.rows }
        guard expected == cellCount else {
            throw Self.mismatch("there are \(cellCount) cells; strides \(strides) of \(inputSize) have \(expected)")
        }
        let values = try output.finiteElements()
        try Self.checkConfidences(
            stride(from: 0, to: values.count, by: extent).lazy.flatMap { values[$0 + 4..<$0 + extent] })
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        var start = 0
        for grid in grids {
            let stride = Float(grid.stride)
            for row in 0..<grid.rows {
                for column in 0..<grid.columns {
                    defer { start += extent }
                    let objectness = values[start + 4]
                    guard objectness >= confidence,
                        let best = ObjectCandidate.best(values[start + 5..<start + extent]),
                        objectness * best.score >= confidence
                    else { continue }
                    found.append(
                        ObjectCandidate(
                            centerX: (values[start] + Float(column)) * stride / width,
                            centerY: (values[start + 1] + Float(row)) * stride / height,
                            width: exp(values[start + 2]) * stride / width,
                            height: exp(values[start + 3]) * stride / height,
                            confidence: objectness * best.score, classIndex: best.index,
                            scores: values[start + 5..<start + extent].map { $0 * objectness }))
                }
            }
        }
        return found
    }
}
