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
        let given = zip(conformanceCase.inputs, try conformanceCase.makeInputs()).compactMap { input, tensor in
            input?.isConstant == false ? tensor : nil
        }
        if precision != .float32, !(try Self.isInRangeOfFloat16(conformanceCase.makeInputs())) { return nil }
        let graph = try conformanceCase.makeGraph()
        let plan = try planner.plan(graph, inputShapes: given.map(\.shape), packedWeights: PackedWeights())
        let isCounted =
            precision == .float32
            ? plan.devicePart != nil : plan.layers.contains { $0.lowering.hasSuffix("-\(precision.rawValue)") }
        if isCounted { onDevice += 1 } else if precision != .float32 { return nil }
        let outputs = try execution.run(plan, inputs: given)
        let tolerance = conformanceCase.tolerance
        for (index, (output, expected)) in zip(outputs, try conformanceCase.expectedOutputs()).enumerated() {
            guard output.shape == expected.shape else { return "output \(index) is \(output.shape)" }
            if precision != .float32 {
                let error = Self.relativeError(output, expected)
                guard error < 0.01 else { return "output \(index) differs by \(error) of its norm" }
                continue
            }
            let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
            if let wrong = pairs.first(where: { !tolerance.accepts($0.0, expected: $0.1) }) {
                return "output \(index) has \(wrong.0), not \(wrong.1)"
            }
        }
        return nil
    }

    private static func isInRangeOfFloat16(_ inputs: [Tensor?]) -> Bool {
        inputs.compactMap { $0 }.allSatisfy { input in
            input.elements(as: Double.self).allSatisfy { !$0.isFinite || abs($0) < 65_504 }
        }
    }

    /// ‖output − expected‖ ÷ ‖expected‖ over the elements that are finite in both; infinite where one alone is finite.
    private static func relativeError(_ output: Tensor, _ expected: Tensor) -> Double {
        var (error, norm) = (0.0, 0.0)
        for (found, wanted) in zip(output.elements(as: Double.self), expected.elements(as: Double.self)) {
            guard found.isFinite == wanted.isFinite else { return .infinity }
            guard found.isFinite else { continue }
            error += (found - wanted) * (found - wanted)
            norm += wanted * wanted
        }
        return norm == 0 ? error : (error / norm).squareRoot()
    }
}

enum CheckThreads {
    struct Refused: Error {}

    static func make() throws -> ThreadPool {
        guard let pool = ThreadPool(count: 2) else { throw Refused() }
        return pool
    }
}
