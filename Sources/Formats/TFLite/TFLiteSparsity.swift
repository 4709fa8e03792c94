import Graphs
import Tensors

/// A sparse tensor: a tree of dimensions, each dense or with the positions of its elements.
///
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs, SparsityParameters
struct TFLiteSparsity {
    private enum Level {
        case dense(Int)
        case compressed(segments: [Int], indices: [Int])
    }

    private let shape: [Int]
    private let elementType: ElementType
    private let order: [Int]
    private let blockMap: [Int]
    private let levels: [Level]
    /// The extent of every axis in blocks, followed by the extents of the blocks.
    private let blockExtents: [Int]

    init(_ table: FlatBufferTable, shape: [Int], _ elementType: ElementType) throws(FormatError) {
        self.shape = shape
        self.elementType = elementType
        order = try table.ints(0) ?? []
        blockMap = try table.ints(1) ?? []
        guard order.sorted() == Array(0..<shape.count + blockMap.count), blockMap.count <= shape.count,
            Set(blockMap).count == blockMap.count, blockMap.allSatisfy(shape.indices.contains)
        else { throw .invalid("its order of traversal is \(order), and its blocks are \(blockMap)") }
        var levels: [Level] = []
        for entry in try table.tables(2, "dimension") {
            if try entry.byte(0) == 0 {
                levels.append(.dense(try entry.int(1)))
            } else {
                levels.append(
                    .compressed(segments: try Self.numbers(entry, 2, 3), indices: try Self.numbers(entry, 4, 5)))
            }
        }
        guard levels.count == order.count else {
            throw .invalid("\(levels.count) dimensions are described, not \(order.count)")
        }
        self.levels = levels
        var extents = [Int](repeating: 1, count: blockMap.count)
        for (level, axis) in order.enumerated() where axis >= shape.count {
            guard case .dense(let extent) = levels[level], extent > 0 else { throw .invalid("a block is not dense") }
            extents[axis - shape.count] = extent
        }
        blockExtents = extents
    }

    /// A vector of one of three types of integers.
    private static func numbers(_ table: FlatBufferTable, _ type: Int, _ field: Int) throws(FormatError) -> [Int] {
        guard let vector = try table.table(field, "positions") else { return [] }
        switch try table.byte(type) {
        case 1: return try vector.ints(0) ?? []
        case 2: return (try vector.integers(0, as: UInt16.self) ?? []).map(Int.init)
        case 3: return (try vector.integers(0, as: UInt8.self) ?? []).map(Int.init)
        default: throw .invalid("positions of an unknown type")
        }
    }

    /// The dense tensor, with zeros for elements that are not stored.
    func dense(_ bytes: ArraySlice<UInt8>, _ memory: WeightMemory) throws -> Tensor {
        let size = elementType.byteCount
        let strides = Shape.rowMajorStrides(shape)
        return try memory.tensor(elementType, shape: shape) { destination in
            for index in destination.indices { destination[index] = 0 }
            var next = bytes.startIndex
            // The nodes of one level: each node's position in the level, and its elements' coordinates so far.
            var nodes: [(position: Int, coordinates: [Int])] = [(0, [Int](repeating: 0, count: order.count))]
            for (level, axis) in order.enumerated() {
                var children: [(position: Int, coordinates: [Int])] = []
                for node in nodes {
                    let entries: [(position: Int, coordinate: Int)]
                    switch levels[level] {
                    case .dense(let extent):
                        guard extent >= 0, extent <= bytes.count / size else {
                            throw FormatError.invalid("a dimension has the extent \(extent)")
                        }
                        entries = (0..<extent).map { (node.position * extent + $0, $0) }
                    case .compressed(let segments, let indices):
                        guard node.position + 1 < segments.count, segments[node.position] >= 0,
                            segments[node.position] <= segments[node.position + 1],
                            segments[node.position + 1] <= indices.count
                        else { throw FormatError.invalid("the segments of a dimension do not fit its positions") }
                        entries = (segments[node.position]..<segments[node.position + 1]).map { ($0, indices[$0]) }
                    }
                    guard children.count + entries.count <= bytes.count / size + segmentsAllowance else {
                        throw FormatError.invalid("more elements are described than are kept")
                    }
                    for entry in entries {
                        var coordinates = node.coordinates
                        coordinates[axis] = entry.coordinate
                        children.append((entry.position, coordinates))
                    }
                }
                nodes = children
            }
            for node in nodes {
                var offset = 0
                for axis in shape.indices {
                    var coordinate = node.coordinates[axis]
                    if let block = blockMap.firstIndex(of: axis) {
                        let (start, overflow) = coordinate.multipliedReportingOverflow(by: blockExtents[block])
                        guard !overflow else { throw FormatError.invalid("a position is out of range") }
                        coordinate = start &+ node.coordinates[shape.count + block]
                    }
                    guard (0..<shape[axis]).contains(coordinate) else {
                        throw FormatError.invalid("position \(coordinate) is outside axis \(axis) of \(shape)")
                    }
                    offset += coordinate * strides[axis]
                }
                guard next + size <= bytes.endIndex else { throw FormatError.invalid("elements are missing") }
                for byte in 0..<size { destination[offset * size + byte] = bytes[next + byte] }
                next += size
            }
            guard next == bytes.endIndex else { throw FormatError.invalid("there are more elements than positions") }
        }
    }

    /// The maximum number of nodes without elements: those of dense dimensions above compressed ones.
    private var segmentsAllowance: Int { 1 << 20 }
}
