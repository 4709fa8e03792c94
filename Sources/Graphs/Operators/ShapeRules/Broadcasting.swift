import Tensors

/// Broadcasting of shapes: they are aligned at the last axis, and an extent of 1 is repeated.
///
/// Reference: https://onnx.ai/onnx/repo-docs/Broadcasting.html
package enum Broadcasting {
    /// The shape that all of `shapes` broadcast to.
    package static func shape(_ shapes: [[Int]]) throws(OperatorError) -> [Int] {
        var result = [Int](repeating: 1, count: shapes.map(\.count).max() ?? 0)
        for shape in shapes {
            let missing = result.count - shape.count
            for (axis, extent) in shape.enumerated() where extent != 1 {
                guard result[missing + axis] == 1 || result[missing + axis] == extent else {
                    throw .invalid("shapes \(shapes.map(\.description).joined(separator: ", ")) do not broadcast")
                }
                result[missing + axis] = extent
            }
        }
        return result
    }

    /// Checks that `shape` broadcasts to `target` without changing it.
    package static func check(_ shape: [Int], to target: [Int], _ name: String) throws(OperatorError) {
        guard shape.count <= target.count, zip(shape.reversed(), target.reversed()).allSatisfy({ $0 == $1 || $0 == 1 })
        else { throw .invalid("\(name) \(shape) does not broadcast to \(target)") }
    }
}

/// The attributes `broadcast` and `axis` of versions before 7, in which broadcasting was optional.
package struct OperandAlignment: Sendable, Hashable {
    /// Whether the second input is repeated.
    var isOn: Bool
    /// The axis of the first input at which the second begins; nil aligns the last axes.
    var axis: Int?

    /// Reads the attributes of a version before 7; nil for later ones.
    static func read(_ attributes: inout AttributeReader) throws(OperatorError) -> Self? {
        attributes.ignore("consumed_inputs")
        guard attributes.opset < 7 else { return nil }
        return Self(isOn: try attributes.bool("broadcast", default: false), axis: try attributes.int("axis"))
    }

    /// Whether the axes of the second input may be aligned differently from the current rule.
    package var movesAxes: Bool { isOn && axis != nil }

    /// The shape of the second input, aligned for the current rule.
    package func aligned(_ b: [Int], to a: [Int]) throws(OperatorError) -> [Int] {
        guard isOn else {
            guard a == b else { throw .invalid("shapes \(a) and \(b) differ, and \"broadcast\" is 0") }
            return b
        }
        guard let axis else { return b }
        let start = try Axes.resolve(axis, rank: a.count)
        guard start + b.count <= a.count else { throw .invalid("shape \(b) at axis \(start) exceeds shape \(a)") }
        return b + [Int](repeating: 1, count: a.count - start - b.count)
    }

    var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = isOn ? ["broadcast": .int(1)] : [:]
        if let axis { values["axis"] = .int(Int64(axis)) }
        return values
    }
}
