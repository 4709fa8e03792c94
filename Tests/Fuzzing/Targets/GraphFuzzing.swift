import CPUBackend
import ConformanceCases
import Graphs
import Planning
import Tensors

/// Makes a random valid network, changes attributes of its nodes, and compares the results of backends.
enum GraphFuzzing {
    static func run(_ bytes: [UInt8]) throws {
        var numbers = DrawnNumbers(bytes)
        let changes = Int.random(in: 0...3, using: &numbers)
        let random = try RandomGraph(numbers)
        var graph = random.graph
        var attributeNumbers = DrawnNumbers(bytes.reversed())
        for _ in 0..<changes { change(&graph, &attributeNumbers) }
        let shapes = random.inputs.map(\.shape)
        let types = try graph.inferTypes(inputShapes: shapes)
        guard types.allSatisfy({ $0?.elementCount ?? 0 <= 1 << 18 }) else { return }
        let expected = try ReferenceEvaluation.run(graph, random.inputs)
        let plan = try Planner(backends: [CPUBackend(), ReferenceBackend()], threadCount: 2)
            .plan(graph, inputShapes: shapes, packedWeights: PackedWeights())
        guard let pool = ThreadPool(count: 2) else { return }
        let outputs = try Execution(workers: pool).run(plan, inputs: random.inputs)
        for (id, (output, expected)) in zip(graph.outputs, zip(outputs, expected)) {
            let comparison = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-3)
            guard let difference = comparison.difference else { continue }
            let nodes = graph.nodes.map { "\($0.name): \($0.operation.attributes)" }
            throw FuzzTarget.Finding(
                "\(graph[id].name): \(difference)\n\(random.listing)\nwith\n\(nodes.joined(separator: "\n"))")
        }
    }

    /// Changes one attribute of one node, if its operator accepts the value.
    private static func change(_ graph: inout Graph, _ numbers: inout DrawnNumbers) {
        guard let index = graph.nodes.indices.randomElement(using: &numbers) else { return }
        let operation = graph.nodes[index].operation
        var attributes = operation.attributes
        guard let name = attributes.keys.sorted().randomElement(using: &numbers), let value = attributes[name] else {
            return
        }
        func number() -> Int64 { [0, 1, 2, 3, 4, 7, -1, -2].randomElement(using: &numbers) ?? 1 }
        switch value {
        case .int: attributes[name] = .int(number())
        case .ints(var list):
            guard let place = list.indices.randomElement(using: &numbers) else { return }
            list[place] = number()
            attributes[name] = .ints(list)
        case .float: attributes[name] = .float(Float(number()) / 2)
        default: return
        }
        var reader = AttributeReader(attributes, outputCount: graph.nodes[index].outputs.count)
        guard let changed = try? type(of: operation).init(&reader) else { return }
        graph.nodes[index].operation = changed
    }
}

/// A generator of one number for each byte, and of a fixed sequence after the last.
struct DrawnNumbers: RandomNumberGenerator {
    private var bytes: ArraySlice<UInt8>
    private var rest = SplitMix64(seed: 1)

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

    mutating func next() -> UInt64 {
        guard let byte = bytes.popFirst() else { return rest.next() }
        // Similar bytes give similar choices, since ranges are taken from the high bits.
        return UInt64(byte) << 56 | 0x0080_8080_8080_8080
    }
}
