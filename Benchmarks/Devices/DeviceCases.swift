import CPUBackend
import ConformanceCases
import OpenCLBackend
import Planning
import Tensors

/// Runs every case of the conformance tests on a device, and compares it with the operator's own evaluation. In tf32
/// and f16 only cases with a product on tensor cores are run, and of these only cases with values in float16's range.
struct DeviceCases {
    private let precision: MatrixPrecision
    private let planner: Planner
    private let execution: Execution

    init(_ device: OpenCLDevice, _ precision: MatrixPrecision) throws {
        self.precision = precision
        planner = Planner(
            backends: [OpenCLBackend(device, precision: precision), CPUBackend(), ReferenceBackend()], threadCount: 2,
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
            "cases       \(precision.rawValue): \(cases.count - failed) of \(cases.count) agree, \(onDevice) on the device"
        )
        return failed
    }

    private func difference(_ conformanceCase: ConformanceCase, _ onDevice: inout Int) throws -> String? {
        if precision != .float32, try !conformanceCase.isInRangeOfFloat16() { return nil }
        let given = try conformanceCase.givenInputs()
        let graph = try conformanceCase.makeGraph()
        let plan = try planner.plan(graph, inputShapes: given.map(\.shape), packedWeights: PackedWeights())
        let isCounted =
            precision == .float32
            ? plan.devicePart != nil : plan.layers.contains { $0.lowering.hasSuffix("-\(precision.rawValue)") }
        if isCounted { onDevice += 1 } else if precision != .float32 { return nil }
        let outputs = try execution.run(plan, inputs: given)
        return try conformanceCase.difference(outputs, roundsFactors: precision != .float32)
    }
}

enum CheckThreads {
    struct Refused: Error {}

    static func make() throws -> ThreadPool {
        guard let pool = ThreadPool(count: 2) else { throw Refused() }
        return pool
    }
}
