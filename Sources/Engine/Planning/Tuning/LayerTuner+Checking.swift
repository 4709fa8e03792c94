import Graphs
import Tensors

extension LayerTuner {
    /// The maximum difference from the processor's numbers, relative to the largest of them. It exceeds the effect on a
    /// long sum of rounding operands to 10 bits after the leading one, and is much less than the error of a wrong
    /// kernel.
    private static let tolerance: Float = 2e-3

    /// Why contenders of a device must not be used, by position. Their results for random numbers are compared with the
    /// processor's. A contender that fails is refused too.
    func refusals(
        of layer: TunableLayer, _ packedWeights: PackedWeights, _ cancellation: CancellationFlag?
    ) throws(PlanningError) -> [Int: String] {
        let devices = layer.contenders.indices.filter { layer.contenders[$0].backend.space == .device }
        if devices.isEmpty { return [:] }
        let processor = try planner.plan(
            layer, by: try planner.processorContender(for: layer), packedWeights: packedWeights, isWhole: true)
        // Two inputs in turns, so that an earlier run's result left in memory is never right.
        let inputs = [try randomInputs(of: processor, seed: 2), try randomInputs(of: processor, seed: 3)]
        let expected = try inputs.map { (inputs) throws(PlanningError) in
            try execution.run(processor, inputs: inputs, cancellation: cancellation)
        }
        var refusals: [Int: String] = [:]
        for index in devices {
            do throws(PlanningError) {
                let plan = try planner.plan(
                    layer, by: layer.contenders[index], packedWeights: packedWeights, isWhole: true)
                for (inputs, expected) in zip(inputs, expected) {
                    let found = try execution.run(plan, inputs: inputs, cancellation: cancellation)
                    refusals[index] = refusals[index] ?? Self.difference(found, expected)
                }
            } catch {
                guard case .device(let failure, _) = error else { throw error }
                refusals[index] = "\(failure)"
            }
        }
        return refusals
    }

    /// Random numbers from −1 to 1, or any 8-bit integers.
    func randomInputs(of plan: Plan, seed: UInt64) throws(PlanningError) -> [Tensor] {
        var random = SplitMix64(seed: seed)
        var inputs: [Tensor] = []
        for port in plan.inputs {
            let (type, places) = (port.type, 0..<port.type.elementCount)
            do {
                switch type.elementType {
                case .int8:
                    let values = places.map { _ in Int8.random(in: .min ... .max, using: &random) }
                    inputs.append(try Tensor(values, shape: type.shape))
                case .uint8:
                    let values = places.map { _ in UInt8.random(in: .min ... .max, using: &random) }
                    inputs.append(try Tensor(values, shape: type.shape))
                default:
                    let values = places.map { _ in Float.random(in: -1...1, using: &random) }
                    inputs.append(try Tensor(values, shape: type.shape))
                }
            } catch {
                throw .tensor(error)
            }
        }
        return inputs
    }

    /// The difference between a contender's results and the right ones; nil where there is none.
    private static func difference(_ found: [Tensor], _ expected: [Tensor]) -> String? {
        for (found, expected) in zip(found, expected) {
            guard found.shape == expected.shape else { return "it gives \(found.shape), not \(expected.shape)" }
            let (found, expected) = (found.elements(as: Float.self), expected.elements(as: Float.self))
            let largest = expected.reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
            for (found, expected) in zip(found, expected) {
                if found == expected || found.isNaN && expected.isNaN { continue }
                // Written so that NaN does not pass.
                if abs(found - expected) <= tolerance * largest { continue }
                return "it gives \(found) where the processor gives \(expected)"
            }
        }
        return nil
    }
}
