import Graphs
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for the detectors of torchvision (Faster R-CNN, Mask R-CNN, RetinaNet, FCOS, SSD), which take one
/// picture of any size, without an axis of the batch, and suppress overlapping boxes themselves.
///
/// Shapes: boxes `[n, 4]`, left, top, right and bottom in pixels of the input; labels `[n]`, integers; scores `[n]`;
/// and masks of instances `[n, 1, h, w]`. A label is the position of a class; torchvision's own lists begin with the
/// background. `class_offset` of the sidecar is the number of the first class.
/// Source: https://docs.pytorch.org/vision/stable/models.html#object-detection
package struct TorchvisionDecoder: ObjectDecoder {
    package static let name = DecoderName.torchvision
    package static let summary = "boxes [n, 4] in pixels, labels [n] and scores [n], as torchvision exports them"
    package static let takesSinglePictures = true
    package let isSuppressed = true

    private let outputs: TorchvisionOutputs

    package static func recognizes(_ signature: DetectorSignature) -> Bool { TorchvisionOutputs(signature) != nil }

    /// Networks with masks are for instances.
    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        guard let outputs = TorchvisionOutputs(signature), outputs.masks == nil else { return false }
        return outputs.haveNames
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let outputs = TorchvisionOutputs(signature, configuration) else {
            throw Self.refusal(of: signature, "boxes [n, 4] with labels [n] and scores [n]")
        }
        self.outputs = outputs
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        try outputs.candidates(in: tensors, inputSize: inputSize, above: confidence).map(\.candidate)
    }
}

/// The outputs of torchvision's detectors.
struct TorchvisionOutputs: Sendable {
    let boxes, labels, scores: Int
    let masks: Int?
    /// Whether the outputs have the names of what they hold.
    let haveNames: Bool
    private let classOffset: Int

    /// - Returns: Nil when the outputs are others.
    init?(_ signature: DetectorSignature, _ configuration: DetectionConfiguration = DetectionConfiguration()) {
        guard (3...4).contains(signature.outputs.count) else { return nil }
        func position(_ rank: Int, _ fits: (DetectorSignature.Output) -> Bool) -> Int? {
            signature.position { $0.shape?.count == rank && fits($0) }
        }
        func isInteger(_ output: DetectorSignature.Output) -> Bool {
            output.elementType.map { !$0.isFloatingPoint } ?? output.isCalled("label", "class")
        }
        guard let boxes = position(2, { $0.ends(with: 4) }), let labels = position(1, isInteger),
            let scores = position(1, { !isInteger($0) })
        else { return nil }
        masks = position(4) { ($0.shape?[1] ?? 1) == 1 }
        guard masks != nil || signature.outputs.count == 3 else { return nil }
        (self.boxes, self.labels, self.scores) = (boxes, labels, scores)
        haveNames =
            signature.outputs[boxes].isCalled("box") && signature.outputs[scores].isCalled("score", "conf")
            && signature.outputs[labels].isCalled("label", "class")
        classOffset = configuration.classOffset ?? 0
    }

    /// The boxes whose confidence is at least `confidence`, and their positions in the outputs.
    func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [(position: Int, candidate: ObjectCandidate)] {
        guard tensors.indices.contains(max(boxes, labels, scores)) else {
            throw TorchvisionDecoder.mismatch("there are \(tensors.count) outputs")
        }
        let edges = try tensors[boxes].finiteElements()
        let (labels, scores) = (try tensors[labels].finiteElements(), try tensors[scores].finiteElements())
        guard edges.count / 4 == scores.count, edges.count.isMultiple(of: 4), labels.count == scores.count else {
            throw TorchvisionDecoder.mismatch(
                "there are \(edges.count / 4) boxes, \(labels.count) labels and \(scores.count) scores")
        }
        try TorchvisionDecoder.checkConfidences(scores)
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [(Int, ObjectCandidate)] = []
        for (position, score) in scores.enumerated() where score >= confidence {
            let label = labels[position]
            guard abs(label) < 1e6, Int(label) >= classOffset else { continue }
            let box = edges[position * 4..<position * 4 + 4].map { $0 }
            let candidate = ObjectCandidate(
                left: box[0] / width, top: box[1] / height, right: box[2] / width, bottom: box[3] / height,
                confidence: score, classIndex: Int(label) - classOffset)
            if candidate.isSound { found.append((position, candidate)) }
        }
        return found
    }
}
