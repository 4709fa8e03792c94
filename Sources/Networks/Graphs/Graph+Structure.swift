import Tensors

extension Graph {
    /// A description of the computation without names and weights' contents: one line per node, in order.
    ///
    /// Two graphs with equal lines apply the same operators with the same attributes, in the same arrangement, to
    /// weights of the same shapes.
    package var structure: [String] {
        var labels = [String?](repeating: nil, count: values.count)
        for (number, id) in inputs.enumerated() { labels[id.index] = "input \(number)" }
        for (id, tensor) in initializers { labels[id.index] = "\(tensor.elementType)\(tensor.shape)" }
        for id in missingWeights {
            labels[id.index] = "\(self[id].elementType ?? .float32)\(self[id].shape?.fixed ?? [])"
        }
        var lines: [String] = []
        for (number, node) in nodes.enumerated() {
            for (position, output) in node.outputs.enumerated() {
                if let output { labels[output.index] = position == 0 ? "%\(number)" : "%\(number).\(position)" }
            }
            let operands = node.inputs.map { $0.flatMap { labels[$0.index] } ?? "_" }.joined(separator: ", ")
            lines.append(([node.operatorName, operands] + node.attributeTexts).joined(separator: " "))
        }
        lines.append("output " + outputs.map { labels[$0.index] ?? "_" }.joined(separator: ", "))
        return lines
    }

    /// Whether two graphs apply the same operators in the same order to weights of the same shapes; names may differ.
    public func hasSameStructure(as other: Graph) -> Bool { structure == other.structure }
}
