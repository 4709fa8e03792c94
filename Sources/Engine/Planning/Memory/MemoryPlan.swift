import Graphs
import Tensors

/// Gives every planned value its memory: a block of the arena, the block of a value that is read for the last time, a
/// slice of another value, or a view of one.
struct MemoryPlan {
    /// Where each planned value lies.
    private(set) var operands: [Operand] = []
    /// The scratch memory of each operation, as bytes.
    private(set) var scratch: [Operand] = []
    /// The size of the arena in bytes.
    private(set) var arenaByteCount = 0
    /// The size of the arena on the device in bytes.
    private(set) var deviceArenaByteCount = 0
    /// The value that each value is a slice of, and where the slice starts along `axis`.
    private(set) var slices: [Int: Slice] = [:]
    /// The values that lie in the memory of another value, one that their operation reads.
    private(set) var views: Set<Int> = []
    /// For each value that takes over another's memory, that other value. No other operation reads it from then on.
    private(set) var overwritten: [Int: Int] = [:]

    struct Slice {
        let parent: Int
        let axis: Int
        let start: Int
    }

    init(_ draft: Draft) {
        let viewed = Self.viewedValues(draft)
        views = Set(viewed.indices.filter { viewed[$0] != nil })
        slices = Self.concatenationSlices(draft, viewed)
        // The value whose arena block a value lies in, or the value itself.
        var root = Array(draft.values.indices)
        for value in draft.values.indices {
            var ancestor = viewed[value].map { root[$0] } ?? value
            while let slice = slices[ancestor] { ancestor = slice.parent }
            root[value] = ancestor
        }
        let memoryShapes = Self.memoryShapes(draft, viewed, slices)
        overwritten = Self.overwrittenValues(draft, root, memoryShapes)
        for value in draft.values.indices {
            if let input = overwritten[root[value]] { root[value] = root[input] }
        }
        let outputOfBlock = Self.outputsWrittenInPlace(draft, viewed, slices, root, memoryShapes)
        let blocks = Self.blocks(draft, root, memoryShapes).filter { entry in
            if case .value(let value) = entry.owner { outputOfBlock[value] == nil } else { true }
        }
        var blockOffset: [Int: Int] = [:]
        scratch = draft.operations.map { Self.bytes(0, at: 0, in: $0.backend.space) }
        for space in [MemorySpace.host, .device] {
            let blocks = blocks.filter { $0.owner.space(draft) == space }
            let layout = ArenaLayout(blocks.map(\.block))
            switch space {
            case .host: arenaByteCount = layout.byteCount
            case .device: deviceArenaByteCount = layout.byteCount
            }
            for (index, entry) in blocks.enumerated() {
                switch entry.owner {
                case .value(let value): blockOffset[value] = layout.offsets[index]
                case .scratch(let operation):
                    scratch[operation] = Self.bytes(entry.block.byteCount, at: layout.offsets[index], in: space)
                }
            }
        }
        resolveOperands(draft, viewed, memoryShapes, root, blockOffset, outputOfBlock)
    }

    /// The blocks that lie in the caller's memory for an output, by their first values, with the output's index: those
    /// of large outputs that are row-major and fill their block.
    private static func outputsWrittenInPlace(
        _ draft: Draft, _ viewed: [Int?], _ slices: [Int: Slice], _ root: [Int], _ memoryShapes: [[Int]]
    ) -> [Int: Int] {
        let passing = draft.chainOfValue
        let fused = draft.fusedValues
        var found: [Int: Int] = [:]
        for (index, output) in draft.outputs.enumerated() {
            let value = draft.values[output]
            guard case .operation = value.source, value.space == .host,
                value.type.byteCount >= draft.largeOutputByteCount,
                viewed[output] == nil, slices[output] == nil, passing[output] == nil, !fused.contains(output),
                memoryShapes[output] == value.type.shape,
                isRowMajor(value.type.shape, value.layout.strides(value.type.shape)), found[root[output]] == nil
            else { continue }
            found[root[output]] = index
        }
        return found
    }

    private static func bytes(_ count: Int, at offset: Int, in space: MemorySpace) -> Operand {
        Operand(elementType: .uint8, shape: [count], strides: [1], place: .arena(in: space, offset: offset))
    }

    /// For each value that is a view, the value it views.
    private static func viewedValues(_ draft: Draft) -> [Int?] {
        var viewed = [Int?](repeating: nil, count: draft.values.count)
        for operation in draft.operations {
            guard let source = operation.inputs.first ?? nil else { continue }
            for output in operation.outputs {
                let isSlice = operation.candidate.splitAxis != nil && readersTakeSlices(of: output, draft)
                if isSlice || operation.candidate.view != nil { viewed[output] = source }
            }
        }
        return viewed
    }

    private static func readersTakeSlices(of value: Int, _ draft: Draft) -> Bool {
        draft.values[value].readers.allSatisfy { draft.operations[$0].readsSlices }
    }

    /// Decides which inputs of concatenations are written in place, as slices of the result.
    private static func concatenationSlices(_ draft: Draft, _ viewed: [Int?]) -> [Int: Slice] {
        var slices: [Int: Slice] = [:]
        for operation in draft.operations {
            guard let axis = operation.candidate.concatenationAxis, let output = operation.outputs.first else {
                continue
            }
            var start = 0
            var useCount: [Int: Int] = [:]
            for case let input? in operation.inputs { useCount[input, default: 0] += 1 }
            for case let input? in operation.inputs {
                let value = draft.values[input]
                defer { start += value.type.shape[axis] }
                guard case .operation(let producer) = value.source, viewed[input] == nil, slices[input] == nil,
                    value.layout == draft.values[output].layout || Layout.coincide(value.type.shape),
                    draft.operations[producer].writesSlices,
                    readersTakeSlices(of: input, draft),
                    useCount[input] == 1
                else { continue }
                slices[input] = Slice(parent: output, axis: axis, start: start)
            }
        }
        return slices
    }

    /// Pixels whose addresses differ by a multiple of this many bytes share few of the 64 sets of a first-level cache.
    /// A product that reads a tile of such pixels together evicts them from the cache's 8 to 12 ways.
    private static let crowdingByteCount = 2048
    /// The bytes by which such pixels are moved apart: a cache line.
    private static let spacingByteCount = 64

    /// The shape of each value in memory: its own, or with more channels between pixels, which nothing reads.
    private static func memoryShapes(_ draft: Draft, _ viewed: [Int?], _ slices: [Int: Slice]) -> [[Int]] {
        let passing = draft.chainOfValue
        let outputs = Set(draft.outputs)
        return draft.values.indices.map { index in
            let value = draft.values[index]
            var shape = value.type.shape
            guard case .operation(let producer) = value.source, value.space == .host, value.layout == .channelsLast,
                shape.count == 4, !Layout.coincide(shape), viewed[index] == nil, slices[index] == nil,
                passing[index] == nil, !outputs.contains(index),
                draft.operations[producer].writesSlices,
                readersTakeSlices(of: index, draft)
            else { return shape }
            let elementByteCount = value.type.elementType.byteCount
            if shape[1] > 0, shape[1] * elementByteCount % crowdingByteCount == 0 {
                shape[1] += spacingByteCount / elementByteCount
            }
            return shape
        }
    }

    /// For each value that is written over an input of its operation, that input. It has its own block, and no other
    /// operation reads it from then on.
    private static func overwrittenValues(
        _ draft: Draft, _ root: [Int], _ memoryShapes: [[Int]]
    ) -> [Int: Int] {
        let start = draft.stepStarts
        let passing = draft.chainOfValue
        let outputs = Set(draft.outputs)
        var sharers = [Int](repeating: 0, count: draft.values.count)
        for value in draft.values.indices { sharers[root[value]] += 1 }
        func hasBlockOfItsOwn(_ index: Int) -> Bool {
            guard case .operation = draft.values[index].source else { return false }
            return root[index] == index && passing[index] == nil && draft.values[index].space == .host
        }
        // Readers are in the order in which they run.
        func readsLast(_ operation: Int, _ value: Int) -> Bool {
            let readers = draft.values[value].readers
            guard readers.last == operation else { return false }
            let other = readers.last { $0 != operation }
            return other.map { start[$0] < start[operation] } ?? true
        }
        var overwritten: [Int: Int] = [:]
        for (index, operation) in draft.operations.enumerated() {
            guard let position = operation.candidate.overwritableInput, position < operation.inputs.count,
                let input = operation.inputs[position], let output = operation.outputs.first,
                hasBlockOfItsOwn(input), hasBlockOfItsOwn(output), sharers[input] == 1, !outputs.contains(input),
                operation.inputs.filter({ $0 == input }).count == 1, readsLast(index, input),
                draft.values[input].type.elementType == draft.values[output].type.elementType,
                draft.values[input].type.shape == draft.values[output].type.shape,
                draft.values[input].layout == draft.values[output].layout, memoryShapes[input] == memoryShapes[output]
            else { continue }
            overwritten[output] = input
        }
        return overwritten
    }

    private enum Owner {
        case value(Int)
        case scratch(operation: Int)

        func space(_ draft: Draft) -> MemorySpace {
            switch self {
            case .value(let value): draft.values[value].space
            case .scratch(let operation): draft.operations[operation].backend.space
            }
        }
    }

    /// Lifetimes are counted in operations; the values of a chain live at the same time.
    private static func blocks(
        _ draft: Draft, _ root: [Int], _ memoryShapes: [[Int]]
    ) -> [(owner: Owner, block: ArenaLayout.Block)] {
        let start = draft.stepStarts
        let passing = draft.chainOfValue
        let fused = draft.fusedValues
        var first: [Int: Int] = [:]
        var last: [Int: Int] = [:]
        for (value, planned) in draft.values.enumerated() {
            guard case .operation(let producer) = planned.source else { continue }
            first[root[value]] = min(first[root[value]] ?? start[producer], start[producer])
            let end = start[max(planned.readers.last ?? producer, producer)]
            last[root[value]] = max(last[root[value]] ?? end, end)
        }
        for output in draft.outputs { last[root[output]] = draft.operations.count }
        var blocks: [(owner: Owner, block: ArenaLayout.Block)] = []
        for value in draft.values.indices where root[value] == value && passing[value] == nil && !fused.contains(value)
        {
            guard case .operation = draft.values[value].source, let begin = first[value], let end = last[value] else {
                continue
            }
            let byteCount = TensorType(draft.values[value].type.elementType, memoryShapes[value]).byteCount
            blocks.append((.value(value), ArenaLayout.Block(byteCount: byteCount, first: begin, last: end)))
        }
        for (index, byteCount) in draft.scratchByteCounts.enumerated() where byteCount > 0 {
            blocks.append(
                (.scratch(operation: index), ArenaLayout.Block(byteCount: byteCount, first: index, last: index)))
        }
        return blocks
    }

    private mutating func resolveOperands(
        _ draft: Draft, _ viewed: [Int?], _ memoryShapes: [[Int]], _ root: [Int], _ blockOffset: [Int: Int],
        _ outputOfBlock: [Int: Int]
    ) {
        let passing = draft.chainOfValue
        operands = draft.values.enumerated().map { index, value in
            let place: Operand.Place =
                switch value.source {
                case .input(let input): .input(input)
                case .constant(let tensor): .constant(tensor)
                case .operation:
                    passing[index].map { scratch[$0.operations.lowerBound].place }
                        ?? outputOfBlock[root[index]].map { .output($0) }
                        ?? .arena(in: value.space, offset: blockOffset[root[index]] ?? 0)
                }
            return Operand(
                elementType: value.type.elementType, shape: value.type.shape,
                strides: value.layout.strides(memoryShapes[index]), place: place)
        }
        for (index, value) in draft.values.enumerated() {
            if case .constant(let tensor) = value.source { operands[index].strides = tensor.strides }
        }
        // The parent of a slice may itself be a slice of a later value: resolve the last concatenation first.
        for index in draft.values.indices.reversed() {
            guard let slice = slices[index] else { continue }
            let extent = operands[index].shape[slice.axis]
            operands[index] = operands[slice.parent].slice(axis: slice.axis, start: slice.start, count: extent)
        }
        for operation in draft.operations {
            guard let source = operation.inputs.first ?? nil else { continue }
            if let axis = operation.candidate.splitAxis {
                var start = 0
                for output in operation.outputs {
                    let extent = operands[output].shape[axis]
                    if viewed[output] != nil {
                        operands[output] = operands[source].slice(axis: axis, start: start, count: extent)
                    }
                    start += extent
                }
            }
            guard let view = operation.candidate.view else { continue }
            for output in operation.outputs {
                let strides = view(operands[source].shape, operands[source].strides)
                operands[output].strides = strides ?? operands[output].strides
                operands[output].place = operands[source].place
            }
        }
    }
}
