import Tensors

/// A tensor with elements added at the ends of its axes, or removed where a pad is negative.
///
/// y[i] = x[i − begin] inside x. Outside it is `constant_value` (constant), the nearest element (edge), the mirror
/// image that does not repeat the edge (reflect), or x repeated (wrap).
///
/// Shapes: x any; pads [2 · axes]: begins, then ends; constant_value scalar; axes (all) → x's plus the pads.
/// Attributes: `mode` (constant); `pads` and `value` (0) where inputs do not give them.
/// Reference: https://onnx.ai/onnx/operators/onnx__Pad.html
package struct Pad: Operator {
    package enum Mode: String, Sendable, CaseIterable { case constant, reflect, edge, wrap }

    package static let name = "Pad"
    package static let inputCount = 1...4
    package var mode: Mode
    /// The pads, when they are an attribute.
    package var pads: [Int]?
    package var value: Float

    package init(mode: Mode = .constant, pads: [Int]? = nil, value: Float = 0) {
        self.mode = mode
        self.pads = pads
        self.value = value
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        mode = try attributes.choice("mode") ?? .constant
        pads = try attributes.ints("pads")
        value = try attributes.float("value", default: 0)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = mode == .constant ? [:] : ["mode": .string(mode.rawValue)]
        if let pads { values["pads"] = .ints(pads.map(Int64.init)) }
        if value != 0 { values["value"] = .float(value) }
        return values
    }

    /// The pads at the start and the end of every axis.
    package func resolvedPads(_ inputs: [TensorType?]) throws(OperatorError) -> (begin: [Int], end: [Int]) {
        let rank = try inputs.required(0).rank
        guard let pads = try inputs.integers(1, "pads") ?? pads else { throw .invalid("\"pads\" are missing") }
        let named = try inputs.integers(3, "axes")
        let axes = try named.map { (axes) throws(OperatorError) in try Axes.resolve(axes, rank: rank) }
        let targets = axes ?? Array(0..<rank)
        guard pads.count == 2 * targets.count else {
            throw .invalid("there are \(pads.count) pads; two for each of \(targets.count) axes are expected")
        }
        try SpatialWindow.check("pads", pads, least: -SpatialWindow.limit)
        var begin = [Int](repeating: 0, count: rank)
        var end = begin
        for (index, axis) in targets.enumerated() {
            begin[axis] = pads[index]
            end[axis] = pads[targets.count + index]
        }
        return (begin, end)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let (begin, end) = try resolvedPads(inputs)
        var shape: [Int] = []
        for (axis, extent) in x.shape.enumerated() {
            let (sum, overflow) = extent.addingReportingOverflow(begin[axis] + end[axis])
            guard !overflow, sum >= 0 else {
                throw .invalid("pads \(begin[axis]) and \(end[axis]) do not fit axis \(axis) of \(x.shape)")
            }
            guard mode == .constant || extent > 0 || sum == 0 else {
                throw .invalid("axis \(axis) of \(x.shape) is empty: there is nothing to pad with")
            }
            shape.append(sum)
        }
        if let fill = inputs.optional(2), fill.elementCount != 1 {
            throw .invalid("\"constant_value\" has the shape \(fill.shape); a scalar is expected")
        }
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        var result = try inputs.required(0)
        let (begin, _) = try resolvedPads(inputs.types)
        let fill = try (inputs.optional(2) ?? Tensor([value], shape: [])).converted(to: result.elementType)
        for (axis, extent) in outputTypes[0].shape.enumerated() {
            guard begin[axis] != 0 || extent != result.shape[axis] else { continue }
            let (count, first) = (result.shape[axis], begin[axis])
            result = try result.gathering(axis: axis, count: extent, fill: fill) { index in
                source(of: index - first, count: count)
            }
        }
        return [result]
    }

    /// The index of the element for `position` on an axis with `count` elements; nil for the constant.
    package func source(of position: Int, count: Int) -> Int? {
        if position >= 0, position < count { return position }
        func modulo(_ divisor: Int) -> Int { (position % divisor + divisor) % divisor }
        switch mode {
        case .constant: return nil
        case .edge: return min(max(position, 0), count - 1)
        case .wrap: return modulo(count)
        case .reflect:
            guard count > 1 else { return 0 }
            let folded = modulo(2 * (count - 1))
            return folded < count ? folded : 2 * (count - 1) - folded
        }
    }
}
