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
