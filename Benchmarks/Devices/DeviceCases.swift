import CPUBackend
import ConformanceCases
import OpenCLBackend
import Planning
import Tensors

/// Runs every case of the conformance tests on a device, and compares it with the operator's own evaluation.
struct DeviceCases {
    private let planner: Planner
    private let execution: Execution

    init(_ device: OpenCLDevice) throws {
        planner = Planner(
            backends: [OpenCLBackend(device), CPUBackend(), ReferenceBackend()], threadCount: 2,
            deviceUse: .wherePossible)
        execution = Execution(workers: try CheckThreads.make())
    }

    /// Runs a share of the cases and returns the number of those that differ.
    func run(_ share: CheckArguments.Share) throws -> Int {
        var (onDevice, failed) = (0, 0)
        let cases = stride(from: share.index, to: ConformanceCases.all.count, by: share.count)
            .map { ConformanceCases.all[$0] }
        for conformanceCase in cases {
            do {
                let difference = try difference(conformanceCase, &onDevice)
                guard let difference else { continue }
                print("case \(conformanceCase.name): \(difference)")
            } catch {
                print("case \(conformanceCase.name): \(error)")
            }
            failed += 1
        }
        print(
            "cases       \(cases.count - failed) of \(cases.count) agree, \(onDevice) on the device"
        )
        return failed
    }

    private func difference(_ conformanceCase: ConformanceCase, _ onDevice: inout Int) throws -> String? {
        let given = zip(conformanceCase.inputs, try conformanceCase.makeInputs()).compactMap { input, tensor in
            input?.isConstant == false ? tensor : nil
        }
        let graph = try conformanceCase.makeGraph()
        let plan = try planner.plan(graph, inputShapes: given.map(\.shape), packedWeights: PackedWeights())
        if plan.devicePart != nil { onDevice += 1 }
        let outputs = try execution.run(plan, inputs: given)
        let tolerance = conformanceCase.tolerance
        for (index, (output, expected)) in zip(outputs, try conformanceCase.expectedOutputs()).enumerated() {
            guard output.shape == expected.shape else { return "output \(index) is \(output.shape)" }
            let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
            if let wrong = pairs.first(where: { !tolerance.accepts($0.0, expected: $0.1) }) {
                return "output \(index) has \(wrong.0), not \(wrong.1)"
            }
        }
        return nil
    }
}

enum CheckThreads {
    struct Refused: Error {}

    static func make() throws -> ThreadPool {
        guard let pool = ThreadPool(count: 2) else { throw Refused() }
        return pool
    }
}
