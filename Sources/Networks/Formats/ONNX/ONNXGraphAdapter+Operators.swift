import Graphs
import Tensors

extension ONNXGraphAdapter {
    /// Appends a node in the form of the current operator set, with nodes before and after it where needed.
    mutating func append(_ original: Graph.Node) throws(OperatorError) {
        var node = original
        switch node.operation {
        case var clip as Clip:
            try setInput(1, of: &node, "min", to: clip.min)
            try setInput(2, of: &node, "max", to: clip.max)
            (clip.min, clip.max) = (nil, nil)
            node.operation = clip
        case let pad as Pad:
            try setInput(1, of: &node, "pads", to: pad.pads)
            try setInput(2, of: &node, "constant_value", to: pad.value == 0 ? nil : pad.value)
            node.operation = Pad(mode: pad.mode)
        case let squeeze as Squeeze:
            try setInput(1, of: &node, "axes", to: squeeze.axes)
            node.operation = Squeeze()
        case let unsqueeze as Unsqueeze:
            try setInput(1, of: &node, "axes", to: unsqueeze.axes)
            node.operation = Unsqueeze()
        case let reshape as Reshape:
            try setInput(1, of: &node, "shape", to: reshape.shape)
            node.operation = Reshape(allowZero: reshape.allowZero)
        case let top as TopK:
            try setInput(1, of: &node, "k", to: top.k.map { [$0] })
            node.operation = TopK(axis: top.axis, isLargest: top.isLargest)
        case let slice as Slice:
            try setInput(1, of: &node, "starts", to: slice.starts)
            try setInput(2, of: &node, "ends", to: slice.ends)
            try setInput(3, of: &node, "axes", to: slice.axes)
            node.operation = Slice()
        case let split as Split:
            try setInput(1, of: &node, "split", to: split.extents)
            let hasExtents = node.inputs.count > 1 && node.inputs[1] != nil
            node.operation = Split(axis: split.axis, partCount: hasExtents ? nil : node.outputs.count)
        case let reduction as any Reduction:
            let axes = reduction.axes
            try setInput(1, of: &node, "axes", to: axes.axes.flatMap { $0.isEmpty ? nil : $0 })
            node.operation = type(of: reduction).init(
                axes: ReductionAxes(keepsAxes: axes.keepsAxes, isIdentityWithoutAxes: axes.isIdentityWithoutAxes))
        case let normalization as GroupNormalization where normalization.scalesGroups:
            try adapt(normalization, &node)
        case let resize as Resize: try adapt(resize, &node)
        case let operation as any AxisNormalization where operation.flattensTrailingAxes:
            try adapt(operation, &node)
        case let operation as any AlignedOperator:
            if let alignment = operation.alignment { try adapt(operation, alignment, &node) }
        case let prelu as PRelu where prelu.hasChannelSlope: try adapt(prelu, &node)
        case let dropout as Dropout where !dropout.hasBooleanMask: return appendDropout(node)
        default: break
        }
        graph.nodes.append(node)
    }

    /// Version 11 has empty arrays where later ones have nothing.
    private mutating func adapt(_ resize: Resize, _ node: inout Graph.Node) throws(OperatorError) {
        guard resize.interpolation.coordinates != .tensorFlowHalfPixel else {
            throw .unsupported("\"tf_half_pixel_for_nn\" is in ONNX only before version 13")
        }
        for position in node.inputs.indices.dropFirst() where inputType(position, of: node)?.elementCount == 0 {
            node.inputs[position] = nil
        }
    }

    /// Adapts Softmax and its relatives. Before version 13, all axes from `axis` on form one row.
    private mutating func adapt(
        _ operation: any AxisNormalization, _ node: inout Graph.Node
    ) throws(OperatorError) {
        let x = try knownType(of: node, 0)
        let axis = try operation.resolvedAxis(rank: x.rank)
        let isOneAxis = axis < x.rank && x.shape[(axis + 1)...].allSatisfy { $0 == 1 }
        let todaysAxis = isOneAxis ? axis : -1
        let today: any Operator =
            switch operation {
            case is LogSoftmax: LogSoftmax(axis: todaysAxis)
            case is Hardmax: Hardmax(axis: todaysAxis)
            default: Softmax(axis: todaysAxis)
            }
        guard !isOneAxis else {
            node.operation = today
            return
        }
        let rows = appendStep(Flatten(axis: axis), node.inputs, named: "\(node.name).rows")
        let normalized = appendStep(today, [rows], named: "\(node.name).normalized")
        let shape = appendStep(ShapeOperator(), node.inputs, named: "\(node.name).shape")
        node.operation = Reshape(allowZero: true)
        node.inputs = [normalized, shape]
    }

    /// Adapts GroupNormalization. Before version 21, scale and bias are for groups; since then, for channels.
    private mutating func adapt(
        _ normalization: GroupNormalization, _ node: inout Graph.Node
    ) throws(OperatorError) {
        let channels = try knownType(of: node, 0).shape[1]
        let (groups, size) = (normalization.groupCount, channels / normalization.groupCount)
        node.operation = GroupNormalization(groupCount: groups, epsilon: normalization.epsilon)
        for (position, part) in [(1, "scale"), (2, "bias")] {
            let name = "\(node.name).\(part)"
            let steps: [(any Operator, String, [Int])] = [
                (Reshape(), "column", [groups, 1]), (Expand(), "expanded", [groups, size]),
                (Reshape(), "channels", [channels]),
            ]
            for (step, suffix, shape) in steps {
                let list = graph.addInitializer(
                    makeValueName("\(name).\(suffix).shape"), try .constant(shape.map(Int64.init), shape: [shape.count])
                )
                node.inputs[position] = appendStep(step, [node.inputs[position], list], named: "\(name).\(suffix)")
            }
        }
    }

    /// Axes of extent 1 bring the second operand's to their place.
    private mutating func adapt(
        _ operation: any AlignedOperator, _ alignment: OperandAlignment, _ node: inout Graph.Node
    ) throws(OperatorError) {
        var today = operation
        today.alignment = nil
        node.operation = today
        guard case .axis = alignment else { return }
        let (a, b) = (try knownType(of: node, 0), try knownType(of: node, 1))
        let aligned = try alignment.aligned(b.shape, to: a.shape)
        try addTrailingAxes(b.rank..<aligned.count, toInput: 1, of: &node)
    }

    /// Adapts PRelu. Before version 7, a slope with one axis is along the channels.
    private mutating func adapt(_ prelu: PRelu, _ node: inout Graph.Node) throws(OperatorError) {
        let (x, slope) = (try knownType(of: node, 0), try knownType(of: node, 1))
        node.operation = PRelu()
        guard slope.rank == 1, slope.shape != [1], x.rank > 2 else { return }
        try addTrailingAxes(1..<x.rank - 1, toInput: 1, of: &node)
    }

    private mutating func addTrailingAxes(
        _ axes: Range<Int>, toInput position: Int, of node: inout Graph.Node
    ) throws(OperatorError) {
        guard !axes.isEmpty else { return }
        let name = "\(node.name).aligned"
        let list = graph.addInitializer(
            makeValueName("\(name).axes"), try .constant(axes.map(Int64.init), shape: [axes.count]))
        node.inputs[position] = appendStep(Unsqueeze(), [node.inputs[position], list], named: name)
    }

    /// Appends a Dropout. Before version 10, the mask holds numbers.
    private mutating func appendDropout(_ original: Graph.Node) {
        var node = original
        node.operation = Dropout()
        guard node.outputs.count > 1, let numbers = node.outputs[1] else {
            graph.nodes.append(node)
            return
        }
        let mask = addValue("\(node.name).mask")
        node.outputs[1] = mask
        graph.nodes.append(node)
        graph.nodes.append(
            Graph.Node(
                name: makeNodeName("\(node.name).mask"),
                operation: Cast(to: inputType(0, of: original)?.elementType ?? .float32), inputs: [mask],
                outputs: [numbers]))
    }
}
