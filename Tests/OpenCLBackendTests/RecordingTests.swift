import CPUBackend
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Recorded runs on a device", .ownThreads, .enabled(if: TestDevice.isPresent))
struct RecordingTests {
    @Test("The device's kernels come one after another, within the run, and for every layer that it has")
    func records() throws {
        let device = try #require(TestDevice.shared)
        let image = try DeviceExecutionTests.input([2, 3, 12, 10])
        let plan = try TestDevice.planner(device).plan(
            try DeviceExecutionTests.network(), inputShapes: [image.shape], packedWeights: PackedWeights())
        let workers = try #require(ThreadPool(count: 2))
        let execution = Execution(workers: workers)
        let plain = try execution.run(plan, inputs: [image])
        let recorder = TimelineRecorder(threadCount: 2, keepsSlices: true)
        execution.recorder = recorder
        _ = try execution.run(plan, inputs: [image])
        _ = recorder.takeRecords()
        for _ in 0..<3 {
            let outputs = try execution.run(plan, inputs: [image])
            #expect(zip(outputs, plain).allSatisfy { $0.elements(as: Float.self) == $1.elements(as: Float.self) })
            let records = recorder.takeRecords()
            #expect(records.count == 1)
            let record = try #require(records.first)
            let onDevice = Set(record.device.map { Int($0.layer) })
            for (index, layer) in plan.layers.enumerated() {
                if layer.transferByteCount > 0 { #expect(onDevice.contains(index), "\(layer.name)") }
                if layer.operatorName.hasPrefix("Conv"), layer.space == .device { #expect(onDevice.contains(index)) }
            }
            // The clocks are aligned within the time that enqueueing takes.
            let slack: Int64 = 20_000_000
            for (slice, next) in zip(record.device, record.device.dropFirst()) { #expect(slice.end <= next.start) }
            for slice in record.device {
                #expect(slice.start <= slice.end)
                #expect(slice.start >= record.start - slack && slice.end <= record.end + slack)
            }
            for (slice, next) in zip(record.host, record.host.dropFirst()) { #expect(slice.end <= next.start) }
            #expect(record.host.contains { $0.work == .wait } && record.host.contains { $0.work == .enqueue })
        }
        execution.recorder = nil
        _ = try execution.run(plan, inputs: [image])
        #expect(recorder.takeRecords().isEmpty)
    }

    @Test("The device's limits can be measured")
    func limits() throws {
        let limits = try #require(TestDevice.shared).measureLimits()
        #expect(limits.multiplyAdds > 1e6 && limits.multiplyAdds < 1e18)
        #expect(limits.bytes > 1e6 && limits.bytes < 1e16)
    }
}
