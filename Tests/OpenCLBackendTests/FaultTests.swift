import Apus
import COpenCL
import Foundation
import Graphs
import OpenCLBackend
import OpenCLFaults
import Planning
import Tensors
import Testing
import TestSupport

extension OnFaultyDevices {
    @Suite("Devices that fail", .ownThreads)
    struct FaultTests {
        private let model: Model
        private let batch: [String: Tensor]

        init() throws {
            model = try Model(DeviceExecutionTests.network())
            batch = ["image": try DeviceExecutionTests.input([8, 3, 12, 10])]
        }

        @Test("A batch that does not fit is halved until it does, and that is said")
        func halvesTheBatch() async throws {
            let one = try await FaultyDevice().session(model).plan(forBatch: 1)
            let whole = try await FaultyDevice().session(model).plan(forBatch: 8)
            #expect(one.runs == 1 && whole.runs == 1)
            // The limit leaves memory for weights and for three of the eight images.
            let measuring = try FaultyDevice()
            _ = try await measuring.session(model).predict(["image": DeviceExecutionTests.input([2, 3, 12, 10])])
            let faulty = try FaultyDevice(memoryLimit: Self.peak)
            let session = try await faulty.session(model)
            let outputs = try await session.predict(batch)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, batch)))
            let plan = try await session.plan(forBatch: 8)
            #expect(plan.runs > 1)
            #expect(plan.layers.contains { $0.backend == "opencl" })
            #expect(session.notices == faulty.log.messages)
            #expect(session.notices.contains { $0.contains("a batch of 8 runs in parts of at most 4 images") })
        }

        /// Bytes that suffice for two images of the network and not for eight.
        private static let peak = 60_000

        @Test("When no layer of one image fits, the processor runs everything")
        func movesToTheProcessor() async throws {
            let faulty = try FaultyDevice(memoryLimit: 8)
            let session = try await faulty.session(model, isDemanded: true)
            let outputs = try await session.predict(batch)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, batch)))
            let layers = try await session.plan(forBatch: 8).layers
            #expect(layers.allSatisfy { $0.backend != "opencl" })
            #expect(session.notices.contains { $0.contains(" layers, which are too large: ") })
            _ = try await session.predict(batch)
            #expect(faulty.log.messages.count == Set(faulty.log.messages).count)
        }

        /// A model with large images in the first layer and small ones in most others.
        private static func pyramid() throws -> Model {
            try Model(
                Graph.build("pyramid") { net in
                    let image = net.input("image", .float32, [.batch, 3, 96, 96])
                    var features = image.convolution(16, kernel: 3, padding: .same).relu().maxPool(4, stride: 4)
                    for _ in 0..<4 { features = features.convolution(16, kernel: 3, padding: .same).relu() }
                    net.output("scores", features.globalAveragePool().flatten().linear(5))
                }.seeded(4))
        }

        @Test("When one image does not fit, the processor runs the layers that are too large, and that is said once")
        func movesLargeLayers() async throws {
            let model = try Self.pyramid()
            // The first layer takes 700 kB, the others at most a third of that, with their transformed tiles.
            let faulty = try FaultyDevice(memoryLimit: 600 << 10)
            let session = try await faulty.session(model, isDemanded: true)
            let images = ["image": try DeviceExecutionTests.input([4, 3, 96, 96])]
            let outputs = try await session.predict(images)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, images)))
            for batch in [1, 4] {
                let layers = try await session.plan(forBatch: batch).layers
                #expect(layers.filter { $0.deviceReason != nil }.map(\.backend).contains("cpu"))
                #expect(layers.first { $0.operator.hasPrefix("Conv") }?.backend == "cpu")
                #expect(layers.filter { $0.operator.hasPrefix("Conv") && $0.backend == "opencl" }.count >= 3)
            }
            #expect(faulty.device.memoryBudget.bytesInUse <= 600 << 10)
            let notice = "the device's memory does not take one image of a batch of 4 at a time; the processor runs "
            #expect(session.notices.filter { $0.hasPrefix(notice) }.count == 1)
            _ = try await session.predict(images)
            #expect(session.notices == faulty.log.messages)
            #expect(faulty.log.messages.count == Set(faulty.log.messages).count)
        }

        @Test("Allocations that the driver refuses do the same as a budget", arguments: 0..<6)
        func survivesRefusedAllocations(first: Int) async throws {
            let faulty = try FaultyDevice()
            apus_faults_fail(APUS_FAULT_ALLOCATION, first, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE)
            let session = try await faulty.session(model)
            let outputs = try await session.predict(batch)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, batch)))
            #expect(session.notices.count == (apus_faults_calls(APUS_FAULT_ALLOCATION) > first ? 1 : 0))
        }

        @Test(
            "A call that fails once is tried again on a new context",
            arguments: [
                (APUS_FAULT_ENQUEUE, 0), (APUS_FAULT_ENQUEUE, 1), (APUS_FAULT_ENQUEUE, 4), (APUS_FAULT_WAIT, 0),
                (APUS_FAULT_BUILD, 0), (APUS_FAULT_CONTEXT, 0),
            ])
        func triesAgain(kind: apus_fault, first: Int) async throws {
            // Fills the program cache, so that each program fails to build twice: from the binary and from the text.
            _ = try await FaultyDevice().session(model).predict(batch)
            let faulty = try FaultyDevice()
            let isOfPreparing = kind == APUS_FAULT_BUILD || kind == APUS_FAULT_CONTEXT
            if isOfPreparing {
                apus_faults_fail(kind, first, kind == APUS_FAULT_BUILD ? 2 : 1, CL_DEVICE_NOT_AVAILABLE)
            }
            let session = try await faulty.session(model, isDemanded: true)
            if !isOfPreparing {
                _ = try await session.predict(batch)
                apus_faults_fail(kind, first, 1, CL_DEVICE_NOT_AVAILABLE)
            }
            let outputs = try await session.predict(batch)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, batch)))
            #expect(try await session.plan(forBatch: 8).layers.contains { $0.backend == "opencl" })
            #expect(session.notices.count == 1)
            #expect(session.notices.first?.hasSuffix("the run is tried once more") == true)
        }

        @Test("A run on the calling thread is tried again, too")
        func triesAgainOnTheCallingThread() async throws {
            let faulty = try FaultyDevice()
            let session = try await faulty.session(model, isDemanded: true)
            _ = try await session.predict(batch)
            apus_faults_fail(APUS_FAULT_ENQUEUE, 0, 1, CL_DEVICE_NOT_AVAILABLE)
            // In a function that is not asynchronous, the blocking method is chosen.
            func outputs() throws -> [String: Tensor] { try session.predictSynchronously(batch) }
            #expect(FaultyDevice.agrees(try outputs(), try await FaultyDevice.expected(model, batch)))
            #expect(session.notices.count == 1)
            #expect(session.notices.first?.hasSuffix("the run is tried once more") == true)
        }

        @Test(
            "A device that goes on failing is left, or ends the run when it was demanded",
            arguments: [
                APUS_FAULT_ENQUEUE, APUS_FAULT_WAIT, APUS_FAULT_BUILD, APUS_FAULT_CONTEXT,
            ])
        func givesUp(kind: apus_fault) async throws {
            let faulty = try FaultyDevice()
            apus_faults_fail(kind, 0, .max, CL_DEVICE_NOT_AVAILABLE)
            let session = try await faulty.session(model)
            let outputs = try await session.predict(batch)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, batch)))
            #expect(try await session.plan(forBatch: 8).layers.allSatisfy { $0.backend != "opencl" })
            #expect(session.notices.last?.hasSuffix("the processor runs every layer from now on") == true)
            let error = await #expect(throws: ApusError.self) {
                let session = try await faulty.session(model, isDemanded: true)
                _ = try await session.predict(batch)
            }
            #expect(error?.kind == .backend)
        }

        @Test("A slow device is waited for")
        func waits() async throws {
            let faulty = try FaultyDevice()
            apus_faults_slow_waits(30_000)
            let outputs = try await faulty.session(model).predict(batch)
            #expect(FaultyDevice.agrees(outputs, try await FaultyDevice.expected(model, batch)))
        }

        @Test("Sessions side by side survive a device that fails under all of them")
        func survivesTogether() async throws {
            let faulty = try FaultyDevice()
            let session = try await faulty.session(model, streams: 3)
            let expected = try await FaultyDevice.expected(model, batch)
            apus_faults_fail(APUS_FAULT_ENQUEUE, 40, 5, CL_DEVICE_NOT_AVAILABLE)
            let agreeing = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<12 {
                    group.addTask { FaultyDevice.agrees(try await session.predict(batch), expected) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(agreeing == 12)
        }

        @Test("A thousand runs of ten tasks leave nothing behind")
        func leavesNothingBehind() async throws {
            let objects = [APUS_OBJECT_BUFFER, APUS_OBJECT_KERNEL, APUS_OBJECT_QUEUE, APUS_OBJECT_CONTEXT]
            /// The streams of sessions end on threads of their own.
            func waitUntilGone(contexts: Int) async throws {
                for _ in 0..<6000 where objects.map(apus_faults_objects) != [0, 0, 0, contexts] {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            try await waitUntilGone(contexts: 0)
            let faulty = try FaultyDevice()
            do {
                let session = try await faulty.session(model, streams: 2)
                let image = ["image": try DeviceExecutionTests.input([1, 3, 12, 10])]
                let expected = try await FaultyDevice.expected(model, image)
                func counts() -> [Int] {
                    (0..<Int(APUS_OBJECT_KINDS.rawValue)).map {
                        apus_faults_objects(apus_object(rawValue: UInt32($0)))
                    } + [faulty.device.bufferCount, faulty.device.memoryBudget.bytesInUse]
                }
                func run(_ count: Int) async throws -> Int {
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<10 {
                            group.addTask {
                                var agreeing = 0
                                for _ in 0..<count where FaultyDevice.agrees(try await session.predict(image), expected)
                                {
                                    agreeing += 1
                                }
                                return agreeing
                            }
                        }
                        return try await group.reduce(0, +)
                    }
                }
                // Slow enough that both streams have a run.
                apus_faults_slow_waits(5_000)
                #expect(try await run(5) == 50)
                apus_faults_slow_waits(0)
                let before = counts()
                #expect(try await run(100) == 1000)
                #expect(counts() == before)
            }
            // The device keeps its context and programs for the next session.
            try await waitUntilGone(contexts: 1)
            #expect(objects.map(apus_faults_objects) == [0, 0, 0, 1])
            #expect(faulty.device.memoryBudget.bytesInUse == 0)
        }
    }
}

/// Suites that make OpenCL calls fail, or count them, affect the whole process, and run serially.
@Suite("On devices that can be made to fail", .ownThreads, .serialized, .enabled(if: TestDevice.isPresent))
enum OnFaultyDevices {}
