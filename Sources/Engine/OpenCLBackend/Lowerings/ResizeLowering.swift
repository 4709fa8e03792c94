import Graphs
import Planning
import Tensors

/// Resizing of images along height and width.
struct ResizeLowering: Lowering {
    let name = "resize"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let resize = request.operation as? any ImageResizing else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        let output = request.outputs[0]
        guard input.rank == 4, input.elementType == .float32, input.elementCount > 0, output.elementCount > 0 else {
            return .decline("not images of float32")
        }
        guard let axes = try? resize.resizedAxes(request.inputs), axes.count == 4 else {
            return .decline("extents are computed at run time")
        }
        guard resize.interpolation.coordinates != .cropAndResize else { return .decline("crops") }
        guard input.shape.prefix(2) == output.shape.prefix(2) else {
            return .decline("images or channels are resized")
        }
        guard max(axes[2].output, axes[3].output) <= ResizeTable.maximumOutput else {
            return .decline("more than \(ResizeTable.maximumOutput) rows or columns")
        }
        let rows = ResizeTable(resize.interpolation, axes[2])
        let columns = ResizeTable(resize.interpolation, axes[3])
        let taps = (output.shape + [rows.width, columns.width]).saturatingProduct
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: taps, byteCount: request.cost.bytes, efficiency: 0.1),
                inputLayouts: [.channelsLast] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in
                    let from = try ImageValue(try operands.input(0))
                    let to = try ImageValue(operands.outputs[0])
                    let vector = ([to.view.channels] + from.vectorUnits + to.vectorUnits).vectorWidth
                    let tables = try rows.arguments() + columns.arguments()
                    let arguments: [KernelCall.Argument] =
                        [.operand(from.operand)] + tables
                        + [.operand(to.operand), .int(Int32(to.view.count)), .int(Int32(to.view.channels))]
                        + from.strides + [.int(Int32(to.view.height)), .int(Int32(to.view.width))] + to.strides
                    return KernelStep([
                        KernelCall(
                            .resize, kernel: "resize",
                            macros: [
                                "VECTOR": "\(vector)", "ROW_TAPS": "\(rows.width)", "COLUMN_TAPS": "\(columns.width)",
                            ], arguments: arguments,
                            global: [to.view.channels / vector, to.view.width, to.view.count * to.view.height])
                    ])
                }))
    }
}

extension ResizeTable {
    func arguments() throws -> [KernelCall.Argument] {
        let places = try Tensor(indices, shape: [indices.count])
        let factors = try Tensor(weights, shape: [weights.count])
        return [.constant(places, packing: "places") { $0 }, .constant(factors, packing: "weights") { $0 }]
    }
}
