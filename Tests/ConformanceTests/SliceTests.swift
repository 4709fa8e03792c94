import ConformanceCases
import CPUBackend
import Foundation
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing

/// Every case of every operator with other extents, as part of a network in which its operands are slices of larger
/// values or lie in place of others. `APUS_ALL_SLICES=1` tries all of them instead of a part.
@Suite("Operands that are slices, of every shape", .serialized)
struct SliceTests {
    private static let triesAll = ProcessInfo.processInfo.environment["APUS_ALL_SLICES"] == "1"
    private static let seed: UInt64 = 55

    /// Where an operand lies among the channels of a larger value.
    private enum Part: CaseIterable {
        case whole, begin, middle, end

        /// The channels before and after.
        func around(_ channels: Int) -> (before: Int, after: Int) {
            switch self {
            case .whole: (0, 0)
            case .begin: (0, 3)
            case .middle: (5, 2)
            case .end: (channels, 0)
            }
        }
    }

    /// The axes that have an extent of 1.
    private static let axesOfOne: [[Int]] = [[], [1], [2], [3], [2, 3], [1, 2, 3]]

    /// A case with a batch of `images` and extents of 1 along some axes; nil where its operator does not take them.
    private static func varied(_ original: ConformanceCase, images: Int, _ axes: [Int]) -> ConformanceCase? {
        var varied = original
        guard let first = original.inputs.first ?? nil, !first.isConstant, first.shape.count == 4 else { return nil }
        for (index, input) in original.inputs.enumerated() {
            guard var input, !input.isConstant, input.shape.count == 4 else { continue }
            if case .values = input.content { return nil }
            if input.shape[0] == first.shape[0] { input.shape[0] = images }
            for axis in axes where input.shape[axis] == first.shape[axis] { input.shape[axis] = 1 }
            varied.inputs[index] = input
        }
        guard let inputs = try? varied.makeInputs(),
            let types = try? varied.operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } }),
            types.allSatisfy({ $0.elementCount > 0 && $0.elementCount <= 50_000 }),
            // Indices of a case may lie outside smaller extents.
            (try? varied.expectedOutputs()) != nil
        else { return nil }
        return varied
    }

    /// A network in which a case's inputs of four axes are parts of larger ones, or computed just before, and its
    /// result is part of a concatenation.
    private static func network(
        _ conformanceCase: ConformanceCase, inputs: Part, output: Part, isComputed: Bool
    ) throws -> GivenGraph {
        let single = try conformanceCase.makeGraph()
        var given = GivenGraph(Graph(name: conformanceCase.name), [])
        var generator = SplitMix64(seed: conformanceCase.seed + 1)
        func values(_ shape: [Int], like type: ElementType) throws -> Tensor {
            let count = shape.reduce(1, *)
            let range: ClosedRange<Double> = type == .uint8 ? 0...255 : type == .int8 ? -128...127 : -1...1
            return try Tensor(
                (0..<count).map { _ in
                    let value = Double.random(in: range, using: &generator)
                    return type.isFloatingPoint ? value : value.rounded()
                }, as: type, shape: shape)
        }
        func append(_ name: String, _ operation: any Operator, _ reads: [Graph.ValueID?], outputs: Int = 1)
            -> [Graph.ValueID]
        {
            let results = (0..<outputs).map { given.graph.addValue("\(name)\($0)") }
            given.graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: reads, outputs: results))
            return results
        }
        // The same numbers, which a kernel writes channels-last.
        func pixels(_ name: String, _ value: Graph.ValueID, _ type: ElementType) -> Graph.ValueID {
            [.float32, .int8, .uint8].contains(type) ? append(name, MaxPool(kernel: [1, 1]), [value])[0] : value
        }
        func addInput(_ name: String, _ tensor: Tensor) -> Graph.ValueID {
            let id = given.graph.addValue(name, elementType: tensor.elementType, shape: Shape(tensor.shape))
            given.graph.inputs.append(id)
            given.inputs.append(tensor)
            return id
        }
        var reads: [Graph.ValueID?] = []
        for (index, tensor) in try conformanceCase.makeInputs().enumerated() {
            guard let tensor, let input = conformanceCase.inputs[index] else {
                reads.append(nil)
                continue
            }
            if input.isConstant {
                reads.append(given.graph.addInitializer("constant\(index)", tensor))
                continue
            }
            let type = tensor.elementType
            let (before, after) = inputs.around(tensor.shape.count == 4 ? tensor.shape[1] : 0)
            var value: Graph.ValueID
            if tensor.shape.count == 4, before + after > 0 {
                var shape = tensor.shape
                let extents = [before, shape[1], after].filter { $0 > 0 }
                shape[1] = extents.reduce(0, +)
                var larger = try values(shape, like: type)
                // The slice has the case's own numbers.
                var elements = larger.elements(as: Double.self)
                let plane = shape[2] * shape[3]
                for (position, element) in tensor.elements(as: Double.self).enumerated() {
                    let (image, rest) = position.quotientAndRemainder(dividingBy: tensor.shape[1] * plane)
                    elements[(image * shape[1] + before) * plane + rest] = element
                }
                larger = try Tensor(elements, as: type, shape: shape)
                value = addInput("input\(index)", larger)
                if isComputed { value = pixels("computed\(index)", value, type) }
                let parts = append("parts\(index)", Split(axis: 1, extents: extents), [value], outputs: extents.count)
                value = parts[before > 0 ? 1 : 0]
                given.graph.outputs += parts.filter { $0 != value }
            } else {
                value = addInput("input\(index)", tensor)
                if isComputed, tensor.shape.count == 4 { value = pixels("computed\(index)", value, type) }
            }
            reads.append(value)
        }
        let node = single.nodes[0]
        let types = try node.operation.outputTypes(
            for: try conformanceCase.makeInputs().map { $0.map { TensorType($0) } })
        let results = append("case", node.operation, reads, outputs: node.outputs.count)
        let (before, after) = output.around(types[0].shape.count == 4 ? types[0].shape[1] : 0)
        guard types[0].shape.count == 4, before + after > 0 else {
            given.graph.outputs += results
            return given
        }
        var joined: [Graph.ValueID?] = []
        for (name, channels) in [("before", before), ("case", types[0].shape[1]), ("after", after)] where channels > 0 {
            if name == "case" {
                joined.append(results[0])
                continue
            }
            var shape = types[0].shape
            shape[1] = channels
            let neighbour = addInput(name, try values(shape, like: types[0].elementType))
            joined.append(pixels("computed " + name, neighbour, types[0].elementType))
        }
        given.graph.outputs += append("joined", Concat(axis: 1), joined)
        given.graph.outputs += results.dropFirst()
        return given
    }

    /// Some of a backend's lowerings.
    private struct SomeLowerings: Backend {
        let base: any Backend
        let lowerings: [any Lowering]
        var name: String { base.name }
        var deviceDescription: String { base.deviceDescription }
        var device: (any Device)? { base.device }

        private static let movements: Set<String> = [
            "strided-copy", "in-place-split", "in-place-concat", "max-pool-rows", "integer-pool-rows", "pool",
        ]

        init(_ base: any Backend, _ name: String) {
            self.base = base
            lowerings = base.lowerings.filter { $0.name == name || Self.movements.contains($0.name) }
        }
    }

    /// What was tried of a lowering.
    private struct Count {
        var networks = 0, slicesRead = 0, slicesWritten = 0, overwriting = 0
    }

    /// Tries all networks of a backend in which the case is run by a lowering; every accepting one is tried by itself.
    private static func check(
        _ backend: any Backend, _ rest: [any Backend], share: Int,
        difference: (ConformanceCase, [Tensor], [Tensor]) throws -> String?
    ) throws -> [String: Count] {
        print("SliceTests: \(backend.name), seed \(seed)")
        var generator = SplitMix64(seed: seed)
        var counts: [String: Count] = [:]
        let use: DeviceUse = backend.device == nil ? .cheapest : .wherePossible
        let pool = try #require(ThreadPool(count: 2))
        for original in ConformanceCases.all {
            for images in [1, 3] {
                for axes in axesOfOne {
                    guard triesAll || Int.random(in: 0..<share, using: &generator) == 0,
                        let varied = varied(original, images: images, axes)
                    else { continue }
                    let parts = Part.allCases
                    let (inputs, output) = (
                        parts.randomElement(using: &generator), parts.randomElement(using: &generator)
                    )
                    let given = try network(
                        varied, inputs: inputs ?? .whole, output: output ?? .whole,
                        isComputed: Bool.random(using: &generator))
                    let expected = try ReferenceEvaluation.run(given.graph, given.inputs)
                    let shapes = given.inputs.map(\.shape)
                    let all = try Planner(backends: [backend] + rest, threadCount: 2, deviceUse: use)
                        .plan(given.graph, inputShapes: shapes, packedWeights: PackedWeights())
                    let considered = all.layers.first { $0.name == "case" }?.considered ?? []
                    for lowering in Set(
                        considered.filter { $0.backend == backend.name && $0.reason == nil }.map(\.lowering)
                    ).sorted() {
                        let some = SomeLowerings(backend, lowering)
                        let plan = try Planner(backends: [some] + rest, threadCount: 2, deviceUse: use)
                            .plan(given.graph, inputShapes: shapes, packedWeights: PackedWeights())
                        guard let layer = plan.layers.first(where: { $0.name == "case" }), layer.lowering == lowering
                        else { continue }
                        let execution = Execution(workers: pool)
                        execution.fillsArena = true
                        let outputs = try execution.run(plan, inputs: given.inputs)
                        let name =
                            "\(lowering), \(original.name), images \(images), axes of 1 \(axes), "
                            + "inputs \(inputs ?? .whole), output \(output ?? .whole)"
                        if let difference = try difference(varied, outputs, expected) {
                            Issue.record("\(name): \(difference)")
                        }
                        var count = counts[lowering] ?? Count()
                        count.networks += 1
                        switch layer.memory {
                        case .slice: count.slicesWritten += 1
                        case .arena(_, _, .some): count.overwriting += 1
                        default: break
                        }
                        if plan.layers.contains(where: { layer in
                            if case .view = layer.memory { layer.name.hasPrefix("parts") } else { false }
                        }) {
                            count.slicesRead += 1
                        }
                        counts[lowering] = count
                    }
                }
            }
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            print(
                "SliceTests: \(name): \(count.networks) networks, \(count.slicesRead) read slices, "
                    + "\(count.slicesWritten) wrote slices, \(count.overwriting) in place")
        }
        return counts
    }

    /// The first difference of outputs by the case's tolerance.
    private static func difference(
        _ conformanceCase: ConformanceCase, _ outputs: [Tensor], _ expected: [Tensor]
    ) throws -> String? {
        for (index, (output, expected)) in zip(outputs, expected).enumerated() {
            guard output.shape == expected.shape else { return "output \(index) is \(output.shape)" }
            let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
            let wrong = pairs.enumerated().first { !conformanceCase.tolerance.accepts($1.0, expected: $1.1) }
            if let wrong {
                return "output \(index), element \(wrong.offset) is \(wrong.element.0), not \(wrong.element.1)"
            }
        }
        return nil
    }

    @Test("Every lowering of the processor", arguments: [BackendChain.cpu] + BackendChain.openBLAS)
    func processor(_ chain: BackendChain) throws {
        let backend = chain.backends[0]
        let counts = try Self.check(backend, [ReferenceBackend()], share: 4, difference: Self.difference)
        #expect(counts.values.reduce(0) { $0 + $1.slicesWritten } > 100)
        #expect(counts.values.reduce(0) { $0 + $1.slicesRead } > 100)
    }

    @Test(
        "Every lowering of bfloat16",
        .enabled("the processor multiplies bfloat16") { ProductPrecision.bfloat16.isSupported(by: .chosen) })
    func bfloat16() throws {
        let backend = RoundingLowerings(base: CPUBackend(precision: .bfloat16))
        let counts = try Self.check(backend, [CPUBackend(), ReferenceBackend()], share: 2) {
            conformanceCase, outputs, expected in
            for (index, (output, expected)) in zip(outputs, expected).enumerated() {
                let numbers = expected.elements(as: Double.self)
                let largest = numbers.reduce(0) { max($0, $1.isFinite ? abs($1) : 0) }
                let pairs = zip(output.elements(as: Double.self), numbers).enumerated()
                let wrong = pairs.first { _, pair in
                    let (found, wanted) = pair
                    return
                        !(found == wanted || found.isNaN && wanted.isNaN || !wanted.isFinite
                        || abs(found - wanted) <= 0.03 * largest + conformanceCase.tolerance.absolute)
                }
                if let wrong {
                    return "output \(index), element \(wrong.offset) is \(wrong.element.0), not \(wrong.element.1)"
                }
            }
            return nil
        }
        #expect(counts.values.reduce(0) { $0 + $1.slicesWritten } > 20)
    }

    @Test("Every lowering of a device", .enabled(if: !BackendChain.openCL.isEmpty))
    func device() throws {
        let backend = try #require(BackendChain.openCL.first?.backends.first)
        let counts = try Self.check(
            backend, [CPUBackend(), ReferenceBackend()], share: 400, difference: Self.difference)
        #expect(!counts.isEmpty)
    }
}
