import Tensors

/// A tensor repeated along its axes.
///
/// y[i] = x[i mod D]
///
/// Shapes: x [d₀, …], repeats [rank] → [d₀ · repeats₀, …].
/// Reference: https://onnx.ai/onnx/operators/onnx__Tile.html
package struct Tile: AttributeFree {
    package static let name = "Tile"
    package static let inputCount = 2...2

    package init() {}

    private func repeats(_ inputs: [TensorType?]) throws(OperatorError) -> [Int] {
        let x = try inputs.required(0)
        guard let repeats = try inputs.integers(1, "repeats") else { throw .invalid("input 1 is missing") }
        guard repeats.count == x.rank, repeats.allSatisfy({ $0 >= 0 }) else {
            throw .invalid("repeats \(repeats) must be a number from 0 for each axis of \(x.shape)")
        }
        return repeats
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        var shape: [Int] = []
        for (extent, times) in zip(x.shape, try repeats(inputs)) {
            shape.append(try [extent, times].product(of: "extents times repeats"))
        }
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        if outputTypes[0].elementCount == 0 { return [try Tensor(zeros: x.elementType, shape: outputTypes[0].shape)] }
        let repeats = try repeats(inputs.types)
        let single = try x.reshaped(to: x.shape.flatMap { [1, $0] })
        let repeated = single.broadcast(to: zip(repeats, x.shape).flatMap { [$0, $1] })
        return [try repeated.reshaped(to: outputTypes[0].shape)]
    }
}
