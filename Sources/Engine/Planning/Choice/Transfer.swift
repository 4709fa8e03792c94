import Graphs
import Tensors

/// Copies a value between the processor's memory and a device's. The planner inserts it between nodes that run on
/// different sides.
package struct Transfer: Operator {
    package static let name = "Transfer"
    package static let domain = "apus"
    package static let inputCount = 1...1

    /// The memory of the copy.
    package let target: MemorySpace

    package init(to target: MemorySpace) { self.target = target }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        throw .unsupported("Transfer stands in plans, not in model files")
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try inputs.required(0)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0)]
    }
}

/// Names the two directions in explanations. Only the planner makes transfers.
struct TransferLowering: Lowering {
    let target: MemorySpace
    let device: any Device

    var name: String { target == .device ? "upload" : "download" }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is Transfer, let type = request.inputs.first ?? nil else {
            return .otherOperator
        }
        let layout = request.inputLayouts.first.flatMap { $0 } ?? .rowMajor
        return .accept(
            Candidate(
                transferringTo: target, microseconds: device.transferMicroseconds(byteCount: type.byteCount),
                layout: layout))
    }
}
