import ConformanceCases
import CPUBackend
import Foundation
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

/// Kernels for NVIDIA, run instruction by instruction.
@Suite(
    "Programs for NVIDIA on an emulator", .ownThreads,
    .enabled(if: PTXCompiler.shared != nil && TestDevice.isPresent, "there is no compiler for NVPTX, or no device"))
struct EmulationTests {
    private let information: DeviceInformation
    private let execution: Execution

    init() throws {
        information = try DeviceInformation.h100()
        execution = Execution(workers: try #require(ThreadPool(count: 2)))
    }

    /// - Parameter seed: That of the device. With an even number, tensor cores multiply bytes, too.
    private func planner(_ precision: MatrixPrecision, seed: UInt64) throws -> Planner {
        let device = EmulatedDevice(try #require(PTXCompiler.shared), seed: seed)
        let backend = PlannedBackend(information, precision, device: device, multipliesBytes: seed % 2 == 0)
        return Planner(
            backends: [backend, CPUBackend(), ReferenceBackend()], threadCount: 2, deviceUse: .wherePossible)
    }

    /// Every how manyth case is run in float32; those on tensor cores are all run.
    private static let share = ProcessInfo.processInfo.environment["APUS_EMULATE_ALL"] == nil ? 5 : 1

    @Test("Cases give what the operator's own evaluation gives", arguments: MatrixPrecision.allCases)
    func agrees(_ precision: MatrixPrecision) throws {
        // Copies to shared memory take place late in every other case, and at once in the others.
        let planners = try [7, 8].map { try planner(precision, seed: $0) }
        var count = 0
        let rounds = precision != .float32
        for index in stride(from: 0, to: ConformanceCases.all.count, by: rounds ? 1 : Self.share) {
            let conformanceCase = ConformanceCases.all[index]
            guard try !rounds || conformanceCase.isInRangeOfFloat16() else { continue }
            let (graph, given) = (try conformanceCase.makeGraph(), try conformanceCase.givenInputs())
            let plan = try? planners[index / Self.share % 2].plan(
                graph, inputShapes: given.map(\.shape), packedWeights: PackedWeights())
            guard let plan, let part = plan.devicePart else { continue }
            // What is not on tensor cores has been run in float32.
            let calls = part.steps.compactMap { $0 as? KernelStep }.flatMap(\.calls)
            guard !rounds || calls.contains(where: \.source.isOnTensorCores) else { continue }
            count += 1
            do {
                let outputs = try execution.run(plan, inputs: given)
                let difference = try conformanceCase.difference(outputs, roundsFactors: rounds)
                #expect(difference == nil, "\(conformanceCase.name): \(difference ?? "")")
            } catch {
                Issue.record("\(conformanceCase.name): \(error)")
            }
        }
        let others = rounds || Self.share == 1 ? "" : "; make emulation runs all"
        print("\(count) cases are run in \(precision.rawValue), instruction by instruction\(others)")
        #expect(count >= (rounds ? 90 : 700 / Self.share))
    }
}
