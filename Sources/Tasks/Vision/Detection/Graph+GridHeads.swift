import Graphs

/// The last operators of a network that joins what heads give for several grids.
enum GridHead: Sendable {
    /// Four numbers of a convolution as they are, the objectness behind Sigmoid, and the classes behind Sigmoid.
    ///
    /// Source: `YOLOXHead.forward` of https://github.com/Megvii-BaseDetection/YOLOX (`yolox/models/yolo_head.py`)
    case yolox
    /// The classes behind Sigmoid, and the distributions of four distances as they are.
    ///
    /// Source: `_forward_onnx` of https://github.com/RangiLyu/nanodet (`nanodet/model/head/nanodet_plus_head.py`)
    case nanodet
}

extension Graph {
    /// Operators between the parts of a head and the output that only rearrange numbers.
    private static let rearranging: Set<String> = ["Reshape", "Flatten", "Transpose", "Identity", "Cast"]

    /// The grids that a head may have. A file can name any number of values.
    private static let maximumGridCount = 16

    /// The head that the only output comes from; nil where it comes from another.
    var gridHead: GridHead? {
        guard outputs.count == 1, let output = outputs.first else { return nil }
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
        func isSigmoid(_ node: Node?) -> Bool {
            node?.operatorName == "Sigmoid" || (node?.operation as? Conv)?.activation == .sigmoid
        }
        /// The number of channels of a convolution, also behind Sigmoid.
        func channels(_ node: Node?) -> Int? {
            let convolution = node?.operatorName == "Sigmoid" ? origin(node?.inputs.first ?? nil) : node
            guard let convolution, convolution.operation is Conv, convolution.inputs.count > 1,
                let weights = convolution.inputs[1]
            else { return nil }
            return initializers[weights]?.shape.first
        }
        func head(_ node: Node?) -> GridHead? {
            guard let node, node.operation is Concat, (2...3).contains(node.inputs.count) else { return nil }
            let parts = node.inputs.map(origin)
            if parts.count == 3, channels(parts[0]) == 4, !isSigmoid(parts[0]), channels(parts[1]) == 1,
                isSigmoid(parts[1]), isSigmoid(parts[2])
            {
                return .yolox
            }
            guard parts.count == 2, isSigmoid(parts[0]), let numbers = parts[1],
                numbers.operation is Conv || numbers.operatorName.hasPrefix("Split")
                    || numbers.operatorName == "Slice", !isSigmoid(numbers)
            else { return nil }
            return .nanodet
        }
        guard let joined = origin(output), joined.operation is Concat,
            (2...Self.maximumGridCount).contains(joined.inputs.count)
        else { return nil }
        let heads = joined.inputs.map { head(origin($0)) }
        guard let first = heads[0], heads.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
