import Graphs
import Models
import Tensors

/// Rounds one layer of a network at a time.
struct LayerRounding {
    /// The maximum number of pictures on which the network runs for each layer.
    private static let pictureCount = 8

    let graph: Graph
    let limits: [Graph.ValueID: (low: Float, high: Float)]
    let means: [Graph.ValueID: [Double]]
    /// The layers that have 8 bits in the quantized network.
    let rounded: Set<Int>

    /// What rounding each layer alone does to the output, largest error first.
    ///
    /// - Parameters:
    ///   - plans: A plan with one product for each layer.
    ///   - expected: The float network's output for each picture.
    func effects(
        of plans: [QuantizationPlan], _ pictures: [Tensor], _ expected: [[Float]],
        _ options: Model.QuantizationOptions, _ show: (Int, Int) -> Void
    ) async throws -> [QuantizationReport.LayerEffect] {
        let pictures = Array(pictures.prefix(Self.pictureCount))
        var effects: [QuantizationReport.LayerEffect] = []
        for (number, plan) in plans.enumerated() {
            show(number + 1, plans.count)
            guard let index = plan.products.first else { continue }
            let node = graph.nodes[index]
            let model = try Model(try graph.quantized(plan, limits: limits, means: means))
            let found = try await CalibrationAnswers(of: model, pictures, nil, options) { _, _ in }.scores
            let weights = node.inputs[1].flatMap { graph.initializers[$0]?.elementCount } ?? 0
            effects.append(
                QuantizationReport.LayerEffect(
                    name: node.name, operator: node.operatorName, weightCount: weights,
                    outputError: Self.error(of: found, comparedWith: expected), isRounded: rounded.contains(index)))
        }
        return effects.sorted { ($1.outputError, $0.name) < ($0.outputError, $1.name) }
    }

    /// The root mean square of the difference, divided by that of the expected numbers.
    private static func error(of found: [[Float]], comparedWith expected: [[Float]]) -> Double {
        var (difference, size) = (0.0, 0.0)
        for (found, expected) in zip(found, expected) {
            for (x, y) in zip(found, expected) {
                difference += Double((x - y) * (x - y))
                size += Double(y * y)
            }
        }
        return (difference / max(size, .leastNormalMagnitude)).squareRoot()
    }
}
