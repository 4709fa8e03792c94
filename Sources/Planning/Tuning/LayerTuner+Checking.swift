import Graphs
import Tensors

extension LayerTuner {
    /// The most that a number may differ from the processor's, as a part of the largest: more than rounding operands to
    /// 10 bits after the leading one makes of a long sum, and much less than a wrong kernel.
    private static let tolerance: Float = 2e-3

    /// Why contenders of a device are not to be used, by their positions: what they give is compared with what the
    /// processor gives for random numbers. Failing is refused as well.
    func refusals(
        of layer: TunableLayer, _ packedWeights: PackedWeights, _ cancellation: CancellationFlag?
    ) throws(PlanningError) -> [Int: String] {
        let devices = layer.contenders.indices.filter { layer.contenders[$0].backend.space == .device }
        if devices.isEmpty { return [:] }
        let processor = try planner.plan(
            layer, by: try planner.processorContender(for: layer), packedWeights: packedWeights, isWhole: true)
        // Two inputs in turns, so that what an earlier run left in memory is never right.
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

    /// Numbers from −1 to 1, or any integers of 8 bits.
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

    /// How what a contender gave differs from what is right; nil where it does not.
    private static func difference(_ found: [Tensor], _ expected: [Tensor]) -> String? {
        for (found, expected) in zip(found, expected) {
            guard found.shape == expected.shape else { return "it gives \(found.shape), not \(expected.shape)" }
            let (found, expected) = (found.elements(as: Float.self), expected.elements(as: Float.self))
            let largest = expected.reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
            for (found, expected) in zip(found, expected) {
                if found == expected || found.isNaN && expected.isNaN { continue }
                // Not written as a comparison that NaN would pass.
                if abs(found - expected) <= tolerance * largest { continue }
                return "it gives \(found) where the processor gives \(expected)"
            }
        }
        return nil
    }
}
