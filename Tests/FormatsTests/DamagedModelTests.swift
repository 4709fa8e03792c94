import Formats
import Foundation
import Graphs
import Testing

@Suite(.serialized) struct DamagedModelTests {
    private let format = ONNXFormat()

    @Test("SqueezeNet cut at 200 places is an error each time, and memory stays flat")
    func cuts() throws {
        let content = try Fixtures.squeezeNet()
        _ = try? format.read(content, folder: nil)
        let held = heldBytes {
            for index in 0..<200 {
                // Half of the cuts fall into the first and last kilobytes, where the structure is.
                let place =
                    switch index {
                    case 0..<50: index
                    case 50..<100: content.count - 1 - (index - 50)
                    default: (index - 100) * (content.count / 100) + 101
                    }
                let error = #expect(throws: FormatError.self, "cut at \(place)") {
                    try format.read(content.prefix(place), folder: nil)
                }
                #expect(error?.kind == .invalid, "cut at \(place)")
            }
        }
        // If everything read were kept, it would be 500 MB.
        #expect(held.after < 16 << 20)
    }

    @Test("Bytes changed at random never crash the reader")
    func changes() throws {
        let seed =
            ProcessInfo.processInfo.environment["APUS_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        FileHandle.standardError.write(Data("DamagedModelTests.changes: APUS_TEST_SEED=\(seed)\n".utf8))
        var generator = SplitMix64(seed: seed)
        for content in [Self.variedModel.data, try Fixtures.squeezeNet()] {
            let rounds = content.count < 100_000 ? 20_000 : 100
            for _ in 0..<rounds {
                var damaged = content
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    // The structure of a large file is at its ends.
                    let reach = min(content.count, 4096)
                    let place = Int.random(in: 0..<reach, using: &generator)
                    let index = Bool.random(using: &generator) ? place : content.count - 1 - place
                    damaged[index] = UInt8.random(in: 0...255, using: &generator)
                }
                do throws(FormatError) {
                    _ = try format.read(damaged, folder: nil)
                } catch {
                    #expect(!error.description.isEmpty)
                }
            }
        }
    }

    @Test("A chain of 100,000 nodes loads", .timeLimit(.minutes(1)))
    func longChain() throws {
        var nodes = [node("Relu", ["x"], ["v1"])]
        for index in 1..<100_000 { nodes.append(node("Relu", ["v\(index)"], ["v\(index + 1)"])) }
        let model = ModelBytes(nodes.reversed(), outputs: [value("v100000", dimensions: [2, 3])])
        let content = model.data
        let graph = try format.read(content, folder: nil)
        #expect(graph.nodes.count == 100_000)
        #expect(graph.nodes.first?.name == "v1")
    }

    /// A model of `If` nodes, nested `depth` times in branches.
    private func nestedBranches(_ depth: Int) -> ModelBytes {
        let results = value("y", dimensions: [2, 3])
        func branch(_ name: String, _ content: [UInt8]) -> [UInt8] {
            attribute(name, type: 5) {
                $0.message(6) {
                    $0.bytes(1, content)
                    $0.bytes(12, results)
                }
            }
        }
        let relu = node("Relu", ["x"], ["y"])
        var inner = relu
        for _ in 0..<depth {
            inner = node(
                "If", ["flag"], ["y"], name: "choice",
                attributes: [branch("then_branch", inner), branch("else_branch", relu)])
        }
        return ModelBytes(
            [inner], inputs: [value("x", dimensions: [2, 3]), value("flag", type: 9, dimensions: [])])
    }

    @Test("Subgraphs nest 64 deep")
    func nestedSubgraphs() throws {
        let graph = try format.read(nestedBranches(64).data, folder: nil)
        #expect(graph.nodes.count == 1)
        #expect(graph.nodes.first?.inputs.count == 4, "the condition, and what each branch reads")
    }

    @Test("Subgraphs nested deeper are one clear error", arguments: [65, 3_000])
    func deeperSubgraphs(_ depth: Int) throws {
        let error = #expect(throws: FormatError.self) {
            try format.read(nestedBranches(depth).data, folder: nil)
        }
        #expect(error?.description == "node \"choice\" (If): graphs lie inside one another more than 64 deep")
        #expect(error?.kind == .unsupported)
    }

    @Test("Groups nested without end are an error")
    func nestedGroups() throws {
        var model = ModelBytes.relu
        model.extraFields = [UInt8](repeating: 0xFB, count: 100_000).flatMap { [$0, 0x01] }
        let error = #expect(throws: FormatError.self) { try format.read(model.data, folder: nil) }
        #expect(error?.kind == .invalid)
    }

    @Test("Millions of empty parts are refused before they take memory", arguments: [1, 5, 11, 12, 15])
    func emptyParts(_ field: UInt8) throws {
        var model = ModelBytes.relu
        model.extraGraphFields = [[UInt8]](repeating: [field << 3 | 2, 0], count: 3_000_000).flatMap { $0 }
        let content = model.data
        let held = heldBytes {
            let error = #expect(throws: FormatError.self) { try format.read(content, folder: nil) }
            #expect(error?.kind == .unsupported)
        }
        #expect(held.most < 128 << 20)
    }

    /// A model with many kinds of fields, small enough that a change usually hits one that matters.
    private static var variedModel: ModelBytes {
        let pads = attribute("pads", type: 7) { $0.packed(8, [0, 0, 1, 1]) }
        let strides = attribute("strides", type: 7) { $0.packed(8, [2, 2]) }
        let shape = attribute("value", type: 4) {
            $0.bytes(5, tensor("", type: 7, dimensions: [2]) { $0.packed(7, [0, -1]) })
        }
        return ModelBytes(
            [
                node("Conv", ["x", "w", "b"], ["c"], name: "conv", attributes: [pads, strides]),
                node("Clip", ["c", "", "high"], ["r"]), node("Constant", [], ["s"], attributes: [shape]),
                node("Concat", ["r", "r"], ["j"], attributes: [attribute("axis", type: 2) { $0.varint(3, 1) }]),
                node("Reshape", ["j", "s"], ["f"]), node("Softmax", ["f"], ["y"]),
            ],
            initializers: [
                tensor("w", dimensions: [2, 3, 3, 3]) { $0.bytes(9, bytes(of: [Float](repeating: 0.5, count: 54))) },
                tensor("b", dimensions: [2]) { $0.bytes(9, bytes(of: [1, 2])) },
                tensor("high", dimensions: []) { $0.float(4, 6) },
            ], inputs: [value("x", dimensions: ["N", 3, 8, 8])], outputs: [value("y", dimensions: ["N", .missing])])
    }
}
