import Graphs
import Tensors

/// A layer as measured times are kept for it: the operator, its attributes, and the types of its inputs and outputs for
/// one image. Nodes with equal signatures run equally fast, in every network and in every batch.
package struct LayerSignature: Sendable, Hashable {
    /// One line, such as `Conv {pads=[1, 1, 1, 1]} (float32[1, 3, 8, 8] row-major, constant float32[4, 3, 3, 3]) → …`.
    package let text: String

    package init(text: String) { self.text = text }

    private var batchPrefix: String { text + " in batches of " }

    /// The signature for a batch, for devices whose best kernels depend on the batch.
    package func ofBatch(_ images: Int) -> LayerSignature { LayerSignature(text: batchPrefix + "\(images)") }

    /// The number of images of a batch whose signature is `text`; nil where it is another layer's.
    func images(inBatch text: String) -> Int? {
        text.hasPrefix(batchPrefix) ? Int(text.dropFirst(batchPrefix.count)) : nil
    }
}

extension LoweringRequest {
    /// The signature under which measured times of the layer are kept; nil when no times can hold for every batch.
    var signature: LayerSignature? {
        guard identifiesLayer else { return nil }
        var parts = [node.operatorName]
        let attributes = node.attributeTexts
        if !attributes.isEmpty { parts.append("{\(attributes.joined(separator: ", "))}") }
        let operands = inputs.indices.map { index in
            guard let type = inputs[index] else { return "_" }
            if constants[index] != nil { return "constant \(type)" }
            return "\(type) \(inputLayouts[index]?.rawValue ?? "")"
        }
        parts.append("(\(operands.joined(separator: ", ")))")
        parts.append("→ \(outputs.map { "\($0)" }.joined(separator: ", "))")
        return LayerSignature(text: parts.joined(separator: " "))
    }

    /// The number of images of the batch, when the other request is for one image.
    func imageCount(comparedWith image: LoweringRequest) -> Int {
        guard let output = outputs.first, let one = image.outputs.first, one.elementCount > 0 else { return 1 }
        return max(1, output.elementCount / one.elementCount)
    }
}
