import Glibc
import Graphs
import Synchronization
import Tensors

/// The memory and threads for running plans, one run at a time.
///
/// Not safe for concurrent use: a stream owns one.
package final class Execution {
    let workers: any Workers
    private let budget: MemoryBudget
    private let outputBlocks: OutputBlocks
    private var arena: Storage?
    private var deviceStream: (any DeviceStream)?
    /// The plan that the device ran last.
    private var deviceRun: DeviceExecution?
    /// The recorder and the threads that it watches; nil when nothing is recorded.
    private var recording: (recorder: TimelineRecorder, workers: RecordingWorkers)?

    /// Records when things happen in runs; nil when nothing is recorded.
    package var recorder: TimelineRecorder? {
        get { recording?.recorder }
        set { recording = newValue.map { ($0, RecordingWorkers(workers, $0)) } }
    }

    /// Whether every byte of the arena is set before each run, so that floats of any width in it are NaN and integers
    /// -1: a step that reads what no step has written then shows. The environment variable `APUS_FILL_ARENAS=1` asks
    /// for it in all executions.
    package var fillsArena = getenv("APUS_FILL_ARENAS").map { String(cString: $0) } == "1"

    /// Makes an execution that spreads steps over `workers`.
    package init(workers: any Workers, budget: MemoryBudget = .process) {
        self.workers = workers
        self.budget = budget
        outputBlocks = OutputBlocks(budget)
    }

    /// Allocates the memory that `plan` needs, so that its next run allocates nothing.
    ///
    /// - Throws: ``PlanningError/arena(layer:operatorName:_:)`` when the budget does not allow it.
    package func prepare(for plan: Plan) throws(PlanningError) {
        if (arena?.byteCount ?? -1) < plan.arenaByteCount {
            arena = nil
            do {
                arena = try Storage(byteCount: plan.arenaByteCount, zeroed: false, budget: budget)
            } catch {
                throw .arena(
                    layer: plan.largestLayer?.name ?? "", operatorName: plan.largestLayer?.operatorName ?? "", error)
            }
        }
        _ = try prepareDevice(for: plan)
    }

    /// Prepares the plan's part on its device; nil when nothing runs there.
    ///
    /// - Throws: ``PlanningError/device(_:runCount:)``.
    func prepareDevice(for plan: Plan) throws(PlanningError) -> DeviceExecution? {
        guard let part = plan.devicePart else { return nil }
        if recorder != nil, let deviceStream, !deviceStream.recordsTimes {
            deviceRun = nil
            self.deviceStream = nil
        }
        if let deviceRun, deviceRun.planPart === part { return deviceRun }
        deviceRun = nil
        do throws(DeviceError) {
            let stream: any DeviceStream
            if let deviceStream {
                stream = deviceStream
            } else {
                stream = try part.device.makeStream(recordingTimes: recorder != nil)
            }
            deviceStream = stream
            let run = DeviceExecution(part, try stream.prepare(part))
            deviceRun = run
            return run
        } catch {
            abandonDevice(after: error)
            throw .device(error, runCount: plan.batching.runCount)
        }
    }

    /// Abandons the device's state after any error but a lack of memory.
    private func abandonDevice(after error: DeviceError) {
        if error.kind == .failed { deviceStream?.abandon() }
        deviceRun = nil
        deviceStream = nil
    }

    /// What the steps of one of a plan's runs need; nil before memory is prepared.
    func context(
        _ plan: Plan, inputs: UnsafeBufferPointer<UnsafeRawPointer>,
        outputs: UnsafeBufferPointer<UnsafeMutableRawPointer>, run: Int
    ) -> StepContext? {
        arena.map {
            StepContext(
                memory: ExecutionMemory(
                    arena: $0.base, inputs: inputs, inputByteStrides: plan.inputByteStrides, outputs: outputs,
                    outputByteStrides: plan.outputByteStrides, run: run),
                workers: recording?.workers ?? workers, recorder: recorder)
        }
    }

    /// Runs a plan.
    ///
    /// - Parameters:
    ///   - inputs: The row-major bytes of each input, in the plan's order.
    ///   - outputs: Where the row-major bytes of each output go, in the plan's order. They overlap neither one another
    ///     nor inputs. A run that throws may have written parts of them.
    ///   - isCancelled: Read between steps; when true, the run stops and throws ``PlanningError/cancelled``.
    package func run(
        _ plan: Plan, inputs: UnsafeBufferPointer<UnsafeRawPointer>,
        into outputs: UnsafeBufferPointer<UnsafeMutableRawPointer>, cancellation: CancellationFlag? = nil
    ) throws(PlanningError) {
        try prepare(for: plan)
        let device = try prepareDevice(for: plan)
        device?.recorder = recorder
        recorder?.begin(plan)
        defer { recorder?.end() }
        precondition(inputs.count == plan.inputs.count && outputs.count == plan.outputs.count)
        for run in 0..<plan.batching.runCount {
            guard let context = context(plan, inputs: inputs, outputs: outputs, run: run) else { return }
            if fillsArena {
                memset(context.memory.arena, 0xFF, plan.arenaByteCount)
                for (index, output) in plan.outputs.enumerated() {
                    memset(outputs[index] + run * output.runByteCount, 0xFF, output.runByteCount)
                }
            }
            do {
                for planned in plan.steps {
                    if let cancellation, cancellation.isSet { throw PlanningError.cancelled }
                    do {
                        try planned.run(context, device)
                    } catch let error as DeviceError {
                        throw error
                    } catch {
                        let layer = plan.layers[planned.layer]
                        if let error = error as? TensorError, error.isLackOfMemory {
                            throw PlanningError.memory(node: layer.name, operatorName: layer.operatorName, error)
                        }
                        throw PlanningError.run(
                            node: layer.name, operatorName: layer.operatorName, message: "\(error)")
                    }
                }
                try device?.finish(context)
            } catch {
                // Nothing may still read or write this run's memory when the next run begins.
                device?.drain()
                switch error {
                case let error as DeviceError:
                    abandonDevice(after: error)
                    throw .device(error, runCount: plan.batching.runCount)
                case let error as PlanningError: throw error
                default: throw .run(node: "", operatorName: "", message: "\(error)")
                }
            }
            let start = recorder == nil ? 0 : MonotonicTime.now
            defer { recorder?.add(.copy, since: start) }
            for (index, output) in plan.outputs.enumerated() where !output.isWrittenInPlace(at: index) {
                let operand = output.operand
                let copy = OutputCopy(
                    shape: operand.shape, elementByteCount: operand.elementType.byteCount,
                    source: context.memory.address(operand), sourceStrides: operand.strides,
                    destination: outputs[index] + run * output.runByteCount, destinationStrides: output.strides)
                copy.run(on: workers)
            }
        }
    }
}

extension Execution {
    /// Lends memory for the outputs of a plan whose steps run without being asked for results.
    func withOutputs<Result>(
        of plan: Plan, _ body: (UnsafeBufferPointer<UnsafeMutableRawPointer>) throws -> Result
    ) throws -> Result {
        let outputs = try plan.outputs.map { try Tensor($0.elementType, shape: $0.shape, budget: budget) { _ in } }
        defer { withExtendedLifetime(outputs) {} }
        return try outputs.map(\.firstElement).withUnsafeBufferPointer(body)
    }
}

/// Asks a run to stop at the next step. Safe to use from any thread.
package final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    /// Whether ``set()`` was called.
    package var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Asks the run to stop.
    package func set() { flag.store(true, ordering: .relaxed) }
}

extension Execution {
    /// Runs a plan on tensors and returns new tensors, in the plan's order.
    ///
    /// - Throws: ``PlanningError/graph(_:)`` when an input's type or extents are not the plan's.
    package func run(
        _ plan: Plan, inputs: [Tensor], cancellation: CancellationFlag? = nil
    ) throws(PlanningError) -> [Tensor] {
        recorder?.arrive()
        try plan.check(inputs)
        do {
            let sources = try inputs.map { try $0.contiguous() }
            let results = try plan.outputs.map { try outputBlocks.tensor($0.elementType, shape: $0.shape) }
            let addresses = sources.map { UnsafeRawPointer($0.firstElement) }
            let destinations = results.map(\.firstElement)
            try addresses.withUnsafeBufferPointer { addresses in
                try destinations.withUnsafeBufferPointer { destinations in
                    try run(plan, inputs: addresses, into: destinations, cancellation: cancellation)
                }
            }
            withExtendedLifetime((sources, results)) {}
            return results
        } catch let error as PlanningError {
            throw error
        } catch let error as TensorError {
            throw .tensor(error)
        } catch {
            throw .run(node: "", operatorName: "", message: "\(error)")
        }
    }
}
