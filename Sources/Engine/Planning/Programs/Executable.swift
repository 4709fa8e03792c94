import Graphs
import Tensors

/// A graph made ready to run for one set of input extents.
package enum Executable: Sendable {
    /// All types are known from the extents.
    case plan(Plan)
    /// Some types are known only while the graph runs.
    case program(Program, first: ProgramStage)
}

extension Planner {
    /// Plans a graph: all of it where the extents determine all types, otherwise as far as they do.
    ///
    /// - Parameter program: The program that is used when one is needed.
    package func executable(
        _ graph: Graph, inputShapes: [[Int]], packedWeights: PackedWeights, program: () -> Program
    ) throws(PlanningError) -> Executable {
        let isKnown: Bool
        do throws(GraphError) {
            let types = try graph.inferKnownTypes(inputShapes: inputShapes)
            isKnown = graph.nodes.allSatisfy { node in
                !(node.operation is any ControlFlowOperator)
                    && node.outputs.allSatisfy { $0.map { types[$0.index] != nil } ?? true }
            }
        } catch {
            throw .graph(error)
        }
        if isKnown { return .plan(try plan(graph, inputShapes: inputShapes, packedWeights: packedWeights)) }
        let program = program()
        let inputs = zip(graph.inputs, inputShapes).map { TensorType(graph[$0].elementType ?? .float32, $1) }
        let first = try program.firstStage(inputs)
        // All types are known after all, once known values have chosen among the graphs inside nodes.
        if first.isLast, first.dynamicNodes.isEmpty, let plan = first.plan, first.inputs == graph.inputs,
            first.outputs == graph.outputs
        {
            return .plan(plan)
        }
        return .program(program, first: first)
    }
}
