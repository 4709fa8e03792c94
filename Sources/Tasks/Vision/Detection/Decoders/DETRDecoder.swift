import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for DETR, YOLOS, and similar detectors, which give logits with a last column for "no object", and boxes.
///
/// Shapes: logits `[1, queries, classes + 1]` and boxes `[1, queries, 4]`, center x, center y, width and height in
/// fractions of the input.
///
///     confidence = max of softmax(logits) over all columns but the last
///
/// Source: `post_process_object_detection` of `DetrImageProcessor`, https://github.com/huggingface/transformers
package struct DETRDecoder: ObjectDecoder {
    package static let name = DecoderName.detr
    package static let summary = "logits [1, queries, classes + 1] with \"no object\" last, boxes [1, queries, 4]"
    package let isSuppressed = true

    /// The queries of networks that count "no object" as a class.
    fileprivate static let queryCount = 100

    private let outputs: DETROutputs

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard let outputs = DETROutputs(signature) else { return false }
        if let count = signature.labelCount, let columns = outputs.columnCount(signature) {
            return columns == count + 1
        }
        return outputs.queryCount(signature) == 100
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        DETROutputs(signature)?.columnCount(signature).map { $0 - 1 }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(
            .fill, to: size, filter: .bilinear, scale: 1 / 255, mean: Preprocessing.imageNetMean,
            standardDeviation: Preprocessing.imageNetDeviation)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let outputs = DETROutputs(signature), outputs.columnCount(signature).map({ $0 > 1 }) ?? true else {
            throw Self.refusal(of: signature, "logits [1, queries, classes + 1] and boxes [1, queries, 4]")
        }
        self.outputs = outputs
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        let (logits, boxes, columns) = try outputs.read(tensors, Self.self)
        guard columns > 1 else { throw Self.mismatch("there is no column of a class") }
        return (0..<boxes.count / 4).compactMap { query in
            let row = logits[query * columns..<(query + 1) * columns]
            let largest = row.max() ?? 0
            let exponents = row.map { exp($0 - largest) }
            let sum = exponents.reduce(0, +)
            let scores = exponents.dropLast().map { $0 / sum }
            guard let best = ObjectCandidate.best(scores), best.score >= confidence else { return nil }
            return DETROutputs.candidate(boxes, query, best.score, best.index, scores)
        }
    }
}

/// The decoder for RT-DETR, D-FINE and similar detectors, whose classes are independent of each other.
///
/// Shapes: logits `[1, queries, classes]` and boxes `[1, queries, 4]`, center x, center y, width and height in
/// fractions of the input.
///
///     confidence = 1 ÷ (1 + exp(−logit)); of all pairs of query and class, as many as there are queries are taken
///
/// Source: `post_process_object_detection` of `RTDetrImageProcessor`, https://github.com/huggingface/transformers
package struct RTDETRDecoder: ObjectDecoder {
    package static let name = DecoderName.rtdetr
    package static let summary = "logits [1, queries, classes], boxes [1, queries, 4]"
    package let isSuppressed = true

    private let outputs: DETROutputs

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard let outputs = DETROutputs(signature) else { return false }
        // With as many queries as DETR has, as many labels as columns may name "no object", too.
        let hasMoreQueries = outputs.queryCount(signature).map { $0 >= 2 * DETRDecoder.queryCount } ?? true
        guard hasMoreQueries else { return false }
        guard let count = signature.labelCount, let columns = outputs.columnCount(signature) else { return true }
        return columns == count
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        DETROutputs(signature)?.columnCount(signature)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, filter: .bilinear, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let outputs = DETROutputs(signature) else {
            throw Self.refusal(of: signature, "logits [1, queries, classes] and boxes [1, queries, 4]")
        }
        self.outputs = outputs
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        let (logits, boxes, columns) = try outputs.read(tensors, Self.self)
        let queryCount = boxes.count / 4
        let scores = logits.map { 1 / (1 + exp(-$0)) }
        // Of equal scores the first is taken.
        let pairs = scores.indices.filter { scores[$0] >= confidence }
            .sorted { (scores[$1], $0) < (scores[$0], $1) }.prefix(queryCount)
        return pairs.map { pair in
            DETROutputs.candidate(boxes, pair / columns, scores[pair], pair % columns, [])
        }
    }
}

/// The positions of logits and boxes among the outputs.
struct DETROutputs: Sendable {
    private let logits, boxes: Int

    /// - Returns: Nil where no output is called logits, none has boxes, or one has masks.
    init?(_ signature: DetectorSignature) {
        guard !signature.outputs.contains(where: { $0.isCalled("mask") }),
            let logits = signature.position(where: { $0.isCalled("logits") && ($0.shape.map { $0.count == 3 } ?? true) }
            ),
            let boxes = signature.position(where: { $0.isCalled("box") && $0.shape?.count == 3 && $0.ends(with: 4) })
        else { return nil }
        (self.logits, self.boxes) = (logits, boxes)
    }

    func columnCount(_ signature: DetectorSignature) -> Int? { signature.outputs[logits].shape?.last ?? nil }

    func queryCount(_ signature: DetectorSignature) -> Int? {
        signature.outputs[logits].shape.flatMap { $0.count == 3 ? $0[1] : nil }
    }

    /// The numbers of the outputs of one picture, and the number of columns of the logits.
    func read(
        _ tensors: [Tensor], _ decoder: any ObjectDecoder.Type
    ) throws(RecordError) -> (logits: [Float], boxes: [Float], columns: Int) {
        guard tensors.indices.contains(max(logits, boxes)) else {
            throw decoder.mismatch("there are \(tensors.count) outputs")
        }
        let (shape, boxShape) = (tensors[logits].shape, tensors[boxes].shape)
        guard shape.count == 3, shape[0] == 1, shape[2] > 0, boxShape == [1, shape[1], 4] else {
            throw decoder.mismatch("logits are \(shape) and boxes \(boxShape)")
        }
        return (try tensors[logits].finiteElements(), try tensors[boxes].finiteElements(), shape[2])
    }

    static func candidate(
        _ boxes: [Float], _ query: Int, _ confidence: Float, _ index: Int, _ scores: [Float]
    ) -> ObjectCandidate {
        ObjectCandidate(
            centerX: boxes[query * 4], centerY: boxes[query * 4 + 1], width: boxes[query * 4 + 2],
            height: boxes[query * 4 + 3], confidence: confidence, classIndex: index, scores: scores)
    }
}
