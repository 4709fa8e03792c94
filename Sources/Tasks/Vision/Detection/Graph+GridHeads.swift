import Graphs

extension Graph {
    /// Operators between the parts of a head and the output that only rearrange numbers.
    private static let rearranging: Set<String> = ["Reshape", "Flatten", "Transpose", "Identity", "Cast"]

    /// Whether the only output joins what YOLOX's heads give for several grids: four numbers of a convolution as they
    /// are, the objectness behind Sigmoid, and the classes behind Sigmoid.
    ///
    /// Source: `YOLOXHead.forward` of https://github.com/Megvii-BaseDetection/YOLOX (`yolox/models/yolo_head.py`)
    var endsInYOLOXHeads: Bool {
        guard outputs.count == 1, let output = outputs.first else { return false }
        var origins: [ValueID: Node] = [:]
        for node in nodes {
            for case let id? in node.outputs { origins[id] = node }
        }
        func origin(_ id: ValueID?) -> Node? {
            var node = id.flatMap { origins[$0] }
            while let found = node, Self.rearranging.contains(found.operatorName) {
                node = (found.inputs.first ?? nil).flatMap { origins[$0] }
            }
            return node
        }
        func isConvolution(_ node: Node?, channels: Int?) -> Bool {
            guard let node, node.operation is Conv, node.inputs.count > 1, let weights = node.inputs[1],
                let count = initializers[weights]?.shape.first
            else { return false }
            return channels.map { $0 == count } ?? true
        }
        func isSigmoid(_ node: Node?, channels: Int?) -> Bool {
            guard let node else { return false }
            if (node.operation as? Conv)?.activation == .sigmoid { return isConvolution(node, channels: channels) }
            return node.operatorName == "Sigmoid" && isConvolution(origin(node.inputs.first ?? nil), channels: channels)
        }
        guard let joined = origin(output), joined.operation is Concat, joined.inputs.count > 1 else { return false }
        return joined.inputs.allSatisfy { input in
            guard let head = origin(input), head.operation is Concat, head.inputs.count == 3 else { return false }
            let box = origin(head.inputs[0])
            return isConvolution(box, channels: 4) && (box?.operation as? Conv)?.activation == nil
                && isSigmoid(origin(head.inputs[1]), channels: 1) && isSigmoid(origin(head.inputs[2]), channels: nil)
        }
    }
}
