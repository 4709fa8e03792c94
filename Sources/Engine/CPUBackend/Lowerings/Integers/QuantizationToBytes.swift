import Graphs
import Planning
import Tensors

/// QuantizeLinear or AffineQuantize to 8 bits, with one scale and zero point that are part of the network.
struct QuantizationToBytes {
    let operation: AffineQuantize
    let roundsToEven: Bool
    let input: TensorType

    init?(_ request: LoweringRequest) {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first,
            input.elementType == .float32, output.elementType.byteCount == 1,
            output.elementType.quantizedRange != nil, input.elementCount > 0
        else { return nil }
        self.input = input
        switch request.operation {
        case let quantize as AffineQuantize: (operation, roundsToEven) = (quantize, false)
        case let linear as QuantizeLinear:
            guard linear.saturates, let scale = request.constants[1], scale.elementCount == 1,
                request.inputs.count < 3 || request.constants[2] != nil
            else { return nil }
            let zeroPoint = request.inputs.count < 3 ? 0 : request.constants[2]?.elements(as: Int32.self).first ?? 0
            operation = AffineQuantize(
                scale: scale.elements(as: Float.self).first ?? 0, zeroPoint: zeroPoint,
                elementType: output.elementType)
            roundsToEven = true
        default: return nil
        }
    }
}
