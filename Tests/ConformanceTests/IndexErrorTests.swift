import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Indices outside their axis", .ownThreads)
struct IndexErrorTests {
    /// Operators that take indices along an axis of 5 elements, with the shapes of the other inputs.
    private static let operators: [(any Operator, [[Int]])] = [
        (Gather(axis: 1), [[3, 5], [700]]),
        (GatherElements(axis: 1), [[3, 5], [3, 700]]),
        (GatherND(batchAxes: 1), [[3, 5], [3, 700, 1]]),
        (ScatterElements(axis: 1), [[3, 5], [3, 700], [3, 700]]),
        (ScatterND(), [[5, 2], [700, 1], [700, 2]]),
    ]

    @Test("The error names the index, on kernels as on the reference", arguments: operators.indices, [5, -6])
    func isNamed(_ number: Int, _ index: Int) throws {
        let (operation, shapes) = Self.operators[number]
        let count = shapes[1].reduce(1, *)
        var indices = [Double](repeating: 2, count: count)
        indices[count - 2] = Double(index)
        let inputs = shapes.enumerated().map { position, shape in
            ConformanceCase.Input.activation(
                shape, position == 1 ? .int64 : .float32, position == 1 ? .values(indices) : .uniform(-1, 1))
        }
        let conformanceCase = ConformanceCase("index \(index)", operation, inputs)
        let given = try conformanceCase.givenInputs()
        for chain in [BackendChain([ReferenceBackend()]), .cpu] {
            let plan = try chain.plan(try conformanceCase.makeGraph(), for: given)
            #expect(plan.layers.map(\.backend) == [chain.name])
            let error = #expect(throws: (any Error).self) { try plan.outputs(given) }
            #expect("\(error.map { "\($0)" } ?? "")".contains("index \(index) lies outside an axis with 5 elements"))
        }
    }
}
