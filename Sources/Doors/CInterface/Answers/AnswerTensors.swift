import Apus

/// The numbers of an answer, by name.
final class AnswerTensors: Sendable {
    /// The tensors with their names.
    let tensors: [(name: CString, tensor: TensorObject)]

    /// - Throws: `TensorError`; ``InterfaceError`` for elements that tensors of the interface do not have.
    init(_ answer: ImageAnswer?) throws {
        var named: [(String, Tensor)] = []
        switch answer {
        case .classes(let classes):
            named.append(("confidences", try Tensor(classes.confidences, shape: [classes.confidences.count])))
            named.append(("scores", try Tensor(classes.scores, shape: [classes.scores.count])))
        case .embedding(let embedding):
            named.append(("embedding", try Tensor(embedding.vector, shape: [embedding.vector.count])))
        case .depth(let depth): named.append(("depth", depth.values))
        case .image(let image):
            let shape = [image.size.height, image.size.width, image.channelCount]
            named.append(("image", try Tensor(image.pixels, shape: shape)))
        case .segments(let segmentation):
            named.append(("classes", segmentation.classes))
            if let matte = segmentation.matte { named.append(("matte", matte)) }
        case .outputs(let outputs):
            for output in outputs.outputs { named.append((output.name, output.tensor)) }
        case .objects, .instances, .poses, .landmarks, .text, .parts, nil: break
        }
        tensors = try named.map { (CString($0.0), try TensorObject($0.1)) }
    }
}
