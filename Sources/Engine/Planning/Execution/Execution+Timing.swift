import Tensors

extension Execution {
    /// Runs a plan, or the first of its runs, several times and returns the shortest time of each layer.
    ///
    /// - Parameters:
    ///   - inputs: As for ``run(_:inputs:cancellation:)``.
    ///   - rounds: The number of runs, after one that is not counted; at least 1.
    /// - Returns: The shortest time of each of the plan's layers; zero for layers without a step.
    package func timeLayers(
        of plan: Plan, inputs: [Tensor], rounds: Int
    ) throws(PlanningError) -> [Duration] {
        _ = try run(plan, inputs: inputs)
        var shortest = [Duration](repeating: .zero, count: plan.layers.count)
        let clock = ContinuousClock()
        do {
            let sources = try inputs.map { try $0.contiguous() }
            let addresses = sources.map { UnsafeRawPointer($0.firstElement) }
            try addresses.withUnsafeBufferPointer { addresses in
                try withOutputs(of: plan) { outputs in
                    guard let context = context(plan, inputs: addresses, outputs: outputs, run: 0) else { return }
                    let device = try prepareDevice(for: plan)
                    for round in 0..<rounds {
                        for planned in plan.steps {
                            let duration = try clock.measure {
                                try planned.run(context, device)
                                try device?.finish(context)
                            }
                            let best = shortest[planned.layer]
                            shortest[planned.layer] = round == 0 ? duration : min(best, duration)
                        }
                    }
                }
            }
            withExtendedLifetime(sources) {}
        } catch let error as PlanningError {
            throw error
        } catch {
            throw .run(node: "", operatorName: "", message: "\(error)")
        }
        return shortest
    }
}
