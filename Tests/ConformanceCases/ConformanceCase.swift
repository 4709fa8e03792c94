import Graphs
import Tensors

/// One application of an operator that every backend must compute as the reference does.
///
/// A case is written once; conformance tests run it on every backend, and benchmarks time it.
package struct ConformanceCase: Sendable {
    /// Unique among all cases.
    package var name: String
    package var operation: any Operator
    /// The inputs of the operator; nil where an optional input is absent.
    package var inputs: [Input?]
    package var tolerance: Tolerance
    /// The seed of the random numbers.
    package var seed: UInt64

    package init(
        _ name: String, _ operation: any Operator, _ inputs: [Input?], tolerance: Tolerance = .float32, seed: UInt64 = 1
    ) {
        self.name = name
        self.operation = operation
        self.inputs = inputs
        self.tolerance = tolerance
        self.seed = seed
    }

    /// One input of a case.
    package struct Input: Sendable {
        package var shape: [Int]
        package var elementType: ElementType
        package var content: Content
        /// Whether the input is a constant of the network, such as weights, and not given at run time.
        package var isConstant: Bool

        /// Random numbers that the network receives.
        package static func activation(
            _ shape: [Int], _ elementType: ElementType = .float32, _ content: Content = .uniform(-1, 1)
        ) -> Input {
            Input(shape: shape, elementType: elementType, content: content, isConstant: false)
        }

        /// Random numbers that are constants of the network.
        package static func weights(_ shape: [Int], _ content: Content = .uniform(-1, 1)) -> Input {
            Input(shape: shape, elementType: .float32, content: content, isConstant: true)
        }

        /// Integers that are constants of the network, on which shapes may depend.
        package static func integers(_ values: [Int]) -> Input {
            Input(
                shape: [values.count], elementType: .int64, content: .values(values.map(Double.init)), isConstant: true)
        }
    }

    /// The source of an input's elements.
    package enum Content: Sendable {
        /// Random numbers from the first to the second.
        case uniform(Double, Double)
        /// Random whole numbers from the first to the second, both included.
        case whole(Int, Int)
        /// These numbers.
        case values([Double])
        /// One number everywhere.
        case constant(Double)
    }

    /// The maximum distance of a result from the reference: |a − b| ≤ absolute + relative · |b|.
    package struct Tolerance: Sendable {
        package var relative: Double
        package var absolute: Double

        package init(relative: Double, absolute: Double) {
            self.relative = relative
            self.absolute = absolute
        }

        /// Every bit is the same.
        package static let exact = Tolerance(relative: 0, absolute: 0)
        /// The tolerance for sums of a few thousand float32 products of numbers up to 1.
        package static let float32 = Tolerance(relative: 1e-4, absolute: 1e-4)

        package func accepts(_ value: Double, expected: Double) -> Bool {
            if value == expected || (value.isNaN && expected.isNaN) { return true }
            return (value - expected).magnitude <= absolute + relative * expected.magnitude
        }
    }
}

extension ConformanceCase {
    /// The inputs, the same every time.
    package func makeInputs() throws -> [Tensor?] {
        var generator = SplitMix64(seed: seed)
        return try inputs.map { input in
            guard let input else { return nil }
            let count = try Shape.elementCount(input.shape)
            let values: [Double] =
                switch input.content {
                case .uniform(let low, let high): (0..<count).map { _ in .random(in: low...high, using: &generator) }
                case .whole(let low, let high):
                    (0..<count).map { _ in Double(Int.random(in: low...high, using: &generator)) }
                case .values(let values): values
                case .constant(let value): Array(repeating: value, count: count)
                }
            return try Tensor(values, as: input.elementType, shape: input.shape)
        }
    }

    /// A graph of this one node, named like the case; constants are initializers, the rest are inputs.
    package func makeGraph() throws -> Graph {
        var graph = Graph(name: name)
        let tensors = try makeInputs()
        var operands: [Graph.ValueID?] = []
        for (index, input) in inputs.enumerated() {
            guard let input, let tensor = tensors[index] else {
                operands.append(nil)
                continue
            }
            if input.isConstant {
                operands.append(graph.addInitializer("input\(index)", tensor))
            } else {
                let id = graph.addValue(
                    "input\(index)", elementType: input.elementType, shape: Shape(input.shape))
                graph.inputs.append(id)
                operands.append(id)
            }
        }
        let types = try operation.outputTypes(for: tensors.map { $0.map { TensorType($0) } })
        let isMultiple = ["Split", "TopK", "RNN", "GRU", "LSTM", "Attention"].contains(type(of: operation).name)
        for (index, type) in types.prefix(isMultiple ? types.count : 1).enumerated() {
            graph.outputs.append(
                graph.addValue("output\(index)", elementType: type.elementType, shape: Shape(type.shape)))
        }
        graph.nodes = [Graph.Node(name: name, operation: operation, inputs: operands, outputs: graph.outputs)]
        try graph.validate()
        return graph
    }

    /// The results of the operator's own evaluation.
    package func expectedOutputs() throws -> [Tensor] {
        let tensors = try makeInputs()
        let types = try operation.outputTypes(for: tensors.map { $0.map { TensorType($0) } })
        return try operation.evaluate(tensors, outputTypes: types)
    }
}
