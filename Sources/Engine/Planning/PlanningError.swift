import Graphs
import Tensors

/// Why a graph could not be planned or a plan could not be run.
package enum PlanningError: Error, Sendable {
    /// The graph does not fit the inputs.
    case graph(GraphError)
    /// No backend in use accepts the node; each lowering's reason is given.
    case noLowering(node: String, operatorName: String, reasons: [String])
    /// Weights are declared but were not loaded.
    case missingWeights([String])
    /// A step lacks an operand.
    case missingOperand(Int)
    /// A value takes more bytes than any machine has.
    case tooLarge(value: String, byteCount: Int)
    /// A tensor could not be allocated or read.
    case tensor(TensorError)
    /// The memory for the values between layers could not be allocated; the layer has the largest of them.
    case arena(layer: String, operatorName: String, TensorError)
    /// The memory that a node needs while it runs could not be allocated.
    case memory(node: String, operatorName: String, TensorError)
    /// A node failed while it ran.
    case run(node: String, operatorName: String, message: String)
    /// A device failed when the batch was run in `runCount` parts.
    case device(DeviceError, runCount: Int)
    /// The run was cancelled.
    case cancelled
}

extension PlanningError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .graph(let error): error.description
        case .noLowering(let node, let operatorName, let reasons):
            "node \"\(node)\" (\(operatorName)): no backend in use can run it: \(reasons.joined(separator: "; "))"
        case .missingWeights(let names):
            "\(names.count) weights are not loaded, the first is \"\(names.first ?? "")\""
        case .missingOperand(let index): "operand \(index) is missing"
        case .tooLarge(let value, let byteCount): "value \"\(value)\" takes \(byteCount) bytes"
        case .tensor(let error): error.description
        case .arena(let layer, let operatorName, let error):
            "memory for the values between layers, the largest of them of layer \"\(layer)\" (\(operatorName)): \(error)"
        case .memory(let node, let operatorName, let error): "node \"\(node)\" (\(operatorName)): \(error)"
        case .run(let node, let operatorName, let message): "node \"\(node)\" (\(operatorName)): \(message)"
        case .device(let error, _): error.description
        case .cancelled: "cancelled"
        }
    }
}
