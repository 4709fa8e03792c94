import Graphs
import Tensors

/// A 2-D convolution of 8-bit integers with weights that are part of the network.
package struct IntegerConvolutionRequest: SpecializedRequest {
    package let operation: IntegerConv
    package let input: TensorType
    package let output: TensorType
    package let weights: Tensor
    package let bias: Tensor?
    package let geometry: SpatialWindow.Geometry

    package static func takes(_ operation: any Operator) -> Bool { operation is IntegerConv }

    package init(_ request: LoweringRequest) throws(LoweringRefusal) {
        guard let operation = request.operation as? IntegerConv else { throw .otherOperator }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            throw LoweringRefusal("an operand is missing")
        }
        guard input.elementType.byteCount == 1, output.elementType.byteCount == 1 else {
            throw LoweringRefusal("elements are \(input.elementType)")
        }
        guard input.rank == 4 else { throw LoweringRefusal("\(input.rank - 2) spatial axes, not 2") }
        guard input.elementCount > 0, output.elementCount > 0 else { throw LoweringRefusal("a value is empty") }
        guard let weights = request.constants[1] else { throw LoweringRefusal("weights are computed at run time") }
        let hasBias = request.inputs.count > 2 && request.inputs[2] != nil
        bias = hasBias ? request.constants[2] : nil
        guard !hasBias || bias?.elementType == .int32 else { throw LoweringRefusal("the bias is no int32 constant") }
        guard let geometry = try? operation.convolution.geometry(x: input.shape, w: weights.shape) else {
            throw LoweringRefusal("the window does not fit")
        }
        guard [input, output, TensorType(weights)].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            throw LoweringRefusal("extents exceed integers of 32 bits")
        }
        // 255 · 255 · 2¹⁵ is just below 2³¹.
        guard weights.shape[1...].reduce(1, *) <= 1 << 15 else { throw LoweringRefusal("sums may exceed 32 bits") }
        self.operation = operation
        self.input = input
        self.output = output
        self.weights = weights
        self.geometry = geometry
    }

    /// Whether each channel has one filter.
    package var isDepthwise: Bool {
        operation.convolution.group == input.shape[1] && weights.shape[0] == input.shape[1] && input.shape[1] > 1
    }
}
