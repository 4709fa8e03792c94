import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D float32 convolution with weights that are part of the network.
struct ConvolutionRequest {
    let operation: Conv
    let input: TensorType
    let output: TensorType
    let weights: Tensor
    let bias: Tensor?
    /// Whether another value of the output's shape is added before the activation.
    let hasAddend: Bool
    let geometry: SpatialWindow.Geometry

    /// Why a request is not such a convolution.
    struct Refusal: Error {
        let reason: String
    }

    init(_ request: LoweringRequest) throws(Refusal) {
        guard let operation = request.operation as? Conv else { throw Refusal(reason: "not a convolution") }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            throw Refusal(reason: "an operand is missing")
        }
        if let refusal = request.refusalOfElements { throw Refusal(reason: refusal) }
        guard input.rank == 4 else { throw Refusal(reason: "\(input.rank - 2) spatial axes, not 2") }
        guard let weights = request.constants[1] else { throw Refusal(reason: "weights are computed at run time") }
        let hasBias = request.inputs.count > 2 && request.inputs[2] != nil
        let bias = hasBias ? request.constants[2] : nil
        guard !hasBias || bias != nil else { throw Refusal(reason: "bias is computed at run time") }
        guard let geometry = try? operation.geometry(x: input.shape, w: weights.shape) else {
            throw Refusal(reason: "the window does not fit")
        }
        guard OpenBLAS.accepts(input.elementCount, output.elementCount, weights.elementCount) else {
            throw Refusal(reason: "extents exceed OpenBLAS's integers")
        }
        self.operation = operation
        self.input = input
        self.output = output
        self.weights = weights
        self.bias = bias
        hasAddend = request.inputs.count > Conv.addendPosition && request.inputs[Conv.addendPosition] != nil
        self.geometry = geometry
    }

    /// The layout of each input: the given one for the image, channels-last for the addend; weights lie as they like.
    func inputLayouts(image: Layout = .channelsLast) -> [Layout?] {
        hasAddend ? [image, nil, nil, .channelsLast] : [image]
    }

    var isPointwise: Bool {
        geometry.kernel == [1, 1] && geometry.strides == [1, 1] && geometry.padsBegin == [0, 0]
            && geometry.padsEnd == [0, 0] && operation.group == 1
    }

    /// One filter per channel.
    var isDepthwise: Bool {
        operation.group == input.shape[1] && weights.shape[0] == operation.group && operation.group > 1
    }

    /// A view of weights `[M, C/group, kh, kw]` as `[group, kh · kw, C/group, M/group]`, the right-hand side of a product
    /// with gathered patches; from planar input as `[group, C/group, kh · kw, M/group]`.
    static func productWeights(_ weights: Tensor, group: Int, isPlanar: Bool = false) throws -> Tensor {
        let (outputs, depth) = (weights.shape[0] / group, weights.shape[1])
        let grouped = try weights.reshaped(to: [group, outputs, depth, weights.shape[2] * weights.shape[3]])
        return try grouped.transposed(isPlanar ? [0, 2, 3, 1] : [0, 3, 2, 1])
    }

    /// The bias as an operand-free float tensor, contiguous.
    func contiguousBias() throws -> Tensor? { try bias?.contiguous() }
}
