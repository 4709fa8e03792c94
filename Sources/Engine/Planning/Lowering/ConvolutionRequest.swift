import Graphs
import Tensors

/// A float32 convolution over any number of spatial axes, with weights that are part of the network.
package struct ConvolutionRequest: SpecializedRequest {
    package let operation: Conv
    package let input: TensorType
    package let output: TensorType
    package let weights: Tensor
    package let bias: Tensor?
    /// Whether another value of the output's shape is added before the activation.
    package let hasAddend: Bool
    package let geometry: SpatialWindow.Geometry

    package static func takes(_ operation: any Operator) -> Bool { operation is Conv }

    package init(_ request: LoweringRequest) throws(LoweringRefusal) {
        guard let operation = request.operation as? Conv else { throw .otherOperator }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            throw LoweringRefusal("an operand is missing")
        }
        if let refusal = request.refusalOfElements { throw LoweringRefusal(refusal) }
        guard let weights = request.constants[1] else { throw LoweringRefusal("weights are computed at run time") }
        let hasBias = request.inputs.count > 2 && request.inputs[2] != nil
        let bias = hasBias ? request.constants[2] : nil
        guard !hasBias || bias != nil else { throw LoweringRefusal("bias is computed at run time") }
        guard let geometry = try? operation.geometry(x: input.shape, w: weights.shape) else {
            throw LoweringRefusal("the window does not fit")
        }
        guard [input, output, TensorType(weights)].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            throw LoweringRefusal("extents exceed integers of 32 bits")
        }
        self.operation = operation
        self.input = input
        self.output = output
        self.weights = weights
        self.bias = bias
        hasAddend = request.inputs.count > Conv.addendPosition && request.inputs[Conv.addendPosition] != nil
        self.geometry = geometry
    }

    /// The layout of each input: the given one for the image, channels-last for the addend, any for the weights.
    package func inputLayouts(image: Layout = .channelsLast) -> [Layout?] {
        hasAddend ? [image, nil, nil, .channelsLast] : [image]
    }

    package var isPointwise: Bool {
        geometry.kernel == [1, 1] && geometry.strides == [1, 1] && geometry.padsBegin == [0, 0]
            && geometry.padsEnd == [0, 0] && operation.group == 1
    }

    /// Whether each channel has one filter.
    package var isDepthwise: Bool {
        operation.group == input.shape[1] && weights.shape[0] == operation.group && operation.group > 1
    }

    /// A view of weights `[M, C/group, kh, kw]` as `[group, kh · kw, C/group, M/group]`, the right-hand side of a
    /// product with gathered patches; for planar input as `[group, C/group, kh · kw, M/group]`. Any number of spatial
    /// axes is possible.
    package static func productWeights(_ weights: Tensor, group: Int, isPlanar: Bool = false) throws -> Tensor {
        let (outputs, depth) = (weights.shape[0] / group, weights.shape[1])
        let grouped = try weights.reshaped(to: [group, outputs, depth, weights.shape[2...].reduce(1, *)])
        return try grouped.transposed(isPlanar ? [0, 2, 3, 1] : [0, 3, 2, 1])
    }

    /// The bias as a contiguous tensor; nil where there is none.
    package func contiguousBias() throws -> Tensor? { try bias?.contiguous() }
}

extension LoweringRequest {
    /// Reads the request as a convolution.
    ///
    /// - Parameter spatialAxes: The counts of spatial axes that the lowering supports.
    package func convolution(spatialAxes: Set<Int> = [2]) throws(LoweringRefusal) -> ConvolutionRequest {
        guard ConvolutionRequest.takes(operation) else { throw .otherOperator }
        if let input = inputs.first ?? nil, !spatialAxes.contains(input.rank - 2), refusalOfElements == nil {
            let wanted = spatialAxes.sorted().map(String.init).joined(separator: " or ")
            throw LoweringRefusal("\(input.rank - 2) spatial axes, not \(wanted)")
        }
        return try specialized()
    }
}
