import Graphs
import Planning
import Tensors
import Testing

@Suite("Placing layers on a device")
struct MemoryPlanTests {
    /// A device on which nothing can run.
    private final class PaperDevice: Device {
        let name = "paper"

        func transferMicroseconds(byteCount: Int) -> Double { 3 + Double(byteCount) / 8 }

        func makeStream(recordingTimes: Bool) throws(DeviceError) -> any DeviceStream {
            throw DeviceError(.failed, "made of paper")
        }
    }

    private struct PaperStep: DeviceStep {}

    /// Random costs of every node on both sides; nil where the device declines the node.
    private struct Costs {
        let host: [Double]
        let device: [Double?]

        init(_ count: Int, _ random: inout SplitMix64) {
            host = (0..<count).map { _ in Double(Int.random(in: 1...30, using: &random)) }
            device = (0..<count).map { _ in
                Int.random(in: 0...5, using: &random) == 0 ? nil : Double(Int.random(in: 0...20, using: &random))
            }
        }

        /// Backends whose lowerings take the time given for the node's number.
        func backends(_ device: any Device) -> [any Backend] {
            let (hostCosts, deviceCosts) = (host, self.device)
            @Sendable func number(_ request: LoweringRequest) -> Int { Int(request.node.name.dropFirst()) ?? 0 }
            let processor = ScriptedBackend.Scripted(name: "slow") { request in
                .accept(
                    Candidate(
                        microseconds: hostCosts[number(request)], inputLayouts: request.inputs.map { _ in nil },
                        outputLayouts: [.rowMajor], makeStep: { _ in NothingStep() }))
            }
            let paper = ScriptedBackend.Scripted(name: "fast") { request in
                guard let cost = deviceCosts[number(request)] else { return .decline("no such kernel") }
                return .accept(
                    Candidate(
                        microseconds: cost, inputLayouts: request.inputs.map { _ in nil },
                        outputLayouts: [.rowMajor], makeDeviceStep: { _ in PaperStep() }))
            }
            return [
                ScriptedBackend("device", [paper], device: device), ScriptedBackend("processor", [processor]),
            ]
        }
    }

    /// A random network of functions of one or two earlier values, with values of several sizes.
    private func network(_ count: Int, _ random: inout SplitMix64) throws -> Graph {
        let extent = Int.random(in: 1...6, using: &random)
        var names = ["x"]
        var nodes: [(String, any Operator, reads: [String])] = []
        var unread = Set<String>()
        for index in 0..<count {
            let reads = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                names.randomElement(using: &random) ?? "x"
            }
            unread.subtract(reads)
            unread.insert("n\(index)")
            nodes.append(("n\(index)", reads.count == 2 ? Add() : Neg(), reads: reads))
            names.append("n\(index)")
        }
        return try Graph.wired(inputs: [("x", [extent])], nodes: nodes, outputs: unread.sorted())
    }

    @Test("No other choice of sides is cheaper, copies counted")
    func isCheapest() throws {
        var crossings = 0
        var undivided = 0
        for seed in UInt64(0)..<60 {
            var random = SplitMix64(seed: seed)
            let count = Int.random(in: 1...7, using: &random)
            let graph = try network(count, &random)
            let device = PaperDevice()
            let backends = Costs(count, &random).backends(device)
            func cost(_ use: DeviceUse) throws -> Double {
                let plan = try Planner(backends: backends, threadCount: 1, deviceUse: use).plan(graph)
                if case .cheapest = use {
                    let transfers = plan.layers.filter { $0.transferByteCount > 0 }.count
                    crossings += transfers
                    undivided += transfers == 0 ? 1 : 0
                }
                return plan.layers.reduce(0) { $0 + $1.microseconds }
            }
            // Rewrites may have merged nodes, so the sides are those of the remaining nodes.
            let least = try (0..<1 << count).map { sides in try cost(.chosen { sides >> $0 & 1 == 1 }) }.min()
            let found = try cost(.cheapest)
            #expect(abs(found - (least ?? 0)) < 1e-6, "seed \(seed): \(found), not \(least ?? 0)")
        }
        #expect(crossings > 20 && undivided > 5, "\(crossings), \(undivided)")
    }

    @Test("A value is brought over once for all that read it, and back once")
    func sharesTransfers() throws {
        let graph = try Graph.wired(
            inputs: [("x", [4])],
            nodes: [
                ("n0", Neg(), reads: ["x"]), ("n1", Abs(), reads: ["x"]), ("n2", Add(), reads: ["n0", "n1"]),
                ("n3", Exp(), reads: ["n2"]), ("n4", Sqrt(), reads: ["n2"]),
            ],
            outputs: ["n2", "n3", "n4"])
        var random = SplitMix64(seed: 1)
        var costs = Costs(5, &random)
        while costs.device.contains(where: { $0 == nil }) { costs = Costs(5, &random) }
        let plan = try Planner(
            backends: costs.backends(PaperDevice()), threadCount: 1, deviceUse: .chosen { $0 < 3 }
        ).plan(graph)
        let transfers = plan.layers.filter { $0.transferByteCount > 0 }
        #expect(transfers.map(\.name) == ["x → device", "n2 → host"])
        #expect(transfers.map(\.lowering) == ["upload", "download"])
        #expect(transfers.map(\.transferByteCount) == [16, 16])
        #expect(plan.layers.map(\.space) == [.device, .device, .device, .device, .host, .host, .host])
    }

    @Test("Where the device is demanded, what it declines runs on the processor")
    func leavesWhatIsDeclined() throws {
        let graph = try Graph.wired(
            inputs: [("x", [4])],
            nodes: [("n0", Neg(), reads: ["x"]), ("n1", Abs(), reads: ["n0"]), ("n2", Exp(), reads: ["n1"])],
            outputs: ["n2"])
        var random = SplitMix64(seed: 2)
        var costs = Costs(3, &random)
        while costs.device.map({ $0 == nil }) != [false, true, false] { costs = Costs(3, &random) }
        let planner = Planner(backends: costs.backends(PaperDevice()), threadCount: 1, deviceUse: .wherePossible)
        let layers = try planner.plan(graph).layers
        #expect(layers.filter { $0.transferByteCount == 0 }.map(\.backend) == ["device", "processor", "device"])
        #expect(layers.filter { $0.transferByteCount > 0 }.count == 4)
        let declined = layers.first { $0.name == "n1" }?.considered.first { $0.backend == "device" }
        #expect(declined?.reason == "no such kernel")
    }
}
