import Tensors

/// An operator that reduces each channel to one number.
package protocol GlobalPooling: AttributeFree {
    /// The number for the elements of one channel.
    func apply(_ channel: ArraySlice<Double>) -> Double
}

extension GlobalPooling {
    package static var inputCount: ClosedRange<Int> { 1...1 }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        guard x.rank >= 2, !x.shape.dropFirst(2).contains(0) else {
            throw .invalid("input \(x.shape) must have a batch, a channel and spatial axes that are not empty")
        }
        return [TensorType(x.elementType, x.shape.enumerated().map { $0.offset < 2 ? $0.element : 1 })]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let area = x.shape.dropFirst(2).reduce(1, *)
        let pixels = x.float64Elements
        let y = try Tensor(outputTypes[0]) { y in
            for plane in y.indices { y[plane] = apply(pixels[plane * area..<(plane + 1) * area]) }
        }
        return [y]
    }
}
