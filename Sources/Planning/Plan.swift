import Graphs
import Tensors

/// A graph lowered for one set of input extents: steps, and the memory they share.
///
/// Immutable; may be run from many executions at once.
package struct Plan: Sendable {
    /// An input.
    package struct Port: Sendable {
        package let name: String
        package let type: TensorType
    }

    /// An output.
    package struct Output: Sendable {
        package let name: String
        let operand: Operand
        /// Strides of the row-major output, kept so that a run need not compute them.
        let strides: [Int]

        init(name: String, operand: Operand) {
            self.name = name
            self.operand = operand
            strides = Shape.rowMajorStrides(operand.shape)
        }

        package var elementType: ElementType { operand.elementType }
        package var shape: [Int] { operand.shape }
        package var byteCount: Int { operand.elementCount * operand.elementType.byteCount }
    }

    struct PlannedStep: Sendable {
        /// Index into `layers`.
        let layer: Int
        let step: any Step
    }

    /// The inputs, in the graph's order. A run reads them row-major.
    package let inputs: [Port]
    /// The outputs, in the graph's order. A run writes them row-major.
    package let outputs: [Output]
    let steps: [PlannedStep]
    /// One entry per node and per copy, in the order of running, with the reasons for each choice.
    package let layers: [PlannedLayer]
    /// Bytes of memory that a run needs besides inputs, outputs and weights.
    package let arenaByteCount: Int
    /// How many threads the choices were made for.
    package let threadCount: Int

    /// Refuses tensors that steps would read beyond their end, or as numbers of another type.
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
