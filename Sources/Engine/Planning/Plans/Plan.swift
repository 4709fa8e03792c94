import Graphs
import Tensors

/// A graph lowered for one set of input extents: steps, and the memory they share.
///
/// Immutable; many executions may run it at the same time.
package struct Plan: Sendable {
    /// An input.
    package struct Port: Sendable {
        package let name: String
        /// The type for the whole batch.
        package let type: TensorType
        /// Bytes between the parts that successive runs read; 0 when every run reads the same.
        let runByteStride: Int

        /// - Parameter type: The type for one run.
        init(name: String, type: TensorType, runCount: Int) {
            self.name = name
            runByteStride = runCount == 1 ? 0 : type.byteCount
            let shape = runCount == 1 ? type.shape : [type.shape[0] * runCount] + type.shape.dropFirst()
            self.type = TensorType(type.elementType, shape)
        }
    }

    /// An output.
    package struct Output: Sendable {
        package let name: String
        /// What one run computes.
        let operand: Operand
        /// Strides of the row-major output, kept so that a run need not compute them.
        let strides: [Int]
        /// The extents for the whole batch.
        package let shape: [Int]

        init(name: String, operand: Operand, runCount: Int) {
            self.name = name
            self.operand = operand
            strides = Shape.rowMajorStrides(operand.shape)
            shape = runCount == 1 ? operand.shape : [operand.shape[0] * runCount] + operand.shape.dropFirst()
        }

        package var elementType: ElementType { operand.elementType }
        package var byteCount: Int { shape.reduce(1, *) * elementType.byteCount }
        /// Bytes that one run writes.
        var runByteCount: Int { operand.elementCount * elementType.byteCount }

        /// Whether steps write the output where the caller wants it, so that nothing is copied.
        func isWrittenInPlace(at index: Int) -> Bool {
            if case .output(index, offset: 0) = operand.place { true } else { false }
        }
    }

    struct PlannedStep: Sendable {
        enum Work: Sendable {
            case host(any Step)
            /// The step's index in the device's part.
            case device(Int)
            case transfer(PlannedTransfer)
        }

        /// Index into `layers`.
        let layer: Int
        let work: Work
        /// Whether it reads the result of a transfer from the device.
        var readsDownload = false
    }

    /// Identifies the plan and all its copies.
    package let identity = PlanIdentity()
    /// The inputs, in the graph's order. A run reads them row-major.
    package let inputs: [Port]
    /// The ``Port/runByteStride`` of each input.
    let inputByteStrides: [Int]
    /// The outputs, in the graph's order. A run writes them row-major.
    package let outputs: [Output]
    /// The ``Output/runByteCount`` of each output.
    let outputByteStrides: [Int]
    let steps: [PlannedStep]
    /// One entry per node and per copy, in the order of running, with the reason for each choice.
    package let layers: [PlannedLayer]
    /// Bytes of memory that a run needs besides inputs, outputs and weights.
    package let arenaByteCount: Int
    /// The part that runs on a device; nil when nothing does.
    package let devicePart: DevicePart?
    /// The number of threads that the choices were made for.
    package let threadCount: Int
    /// How the images of the batch are run.
    package let batching: Batching

    /// The layer with the largest output in the arena.
    var largestLayer: PlannedLayer? {
        func byteCount(_ layer: PlannedLayer) -> Int {
            if case .arena(_, let byteCount, _) = layer.memory { byteCount } else { 0 }
        }
        return layers.max { byteCount($0) < byteCount($1) }
    }

    /// Rejects tensors that steps would read beyond their end, or as numbers of another type.
    func check(_ tensors: [Tensor]) throws(PlanningError) {
        for (index, port) in inputs.enumerated() {
            guard tensors.indices.contains(index) else {
                throw .graph(.input(name: port.name, message: "is missing"))
            }
            let found = TensorType(tensors[index], keepingContent: false)
            guard found.elementType == port.type.elementType, found.shape == port.type.shape else {
                throw .graph(.input(name: port.name, message: "is \(found), but the plan is for \(port.type)"))
            }
        }
    }
}

/// Identifies a plan by its object identity.
package final class PlanIdentity: Sendable {}
