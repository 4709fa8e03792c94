import Graphs
import Tensors

/// A sparse tensor: a tree of dimensions, each dense or with the positions of its elements. The tree is walked where it
/// lies in the file.
///
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs, SparsityParameters
struct TFLiteSparsity {
    private enum Level {
        case dense(Int)
        case compressed(segments: FlatBufferVector, indices: FlatBufferVector)
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
                    .compressed(segments: try Self.vector(entry, 2, 3), indices: try Self.vector(entry, 4, 5)))
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
    private static func vector(
        _ table: FlatBufferTable, _ type: Int, _ field: Int
    ) throws(FormatError) -> FlatBufferVector {
        let sizes = [1: 4, 2: 2, 3: 1]
        guard let positions = try table.table(field, "positions"), let size = sizes[try table.byte(type)],
            let vector = try positions.vector(0, elementByteCount: size)
        else { throw .invalid("a dimension has no positions, or positions of an unknown type") }
        return vector
    }

    /// The dense tensor, with zeros for elements that are not stored.
    func dense(_ bytes: ArraySlice<UInt8>, _ memory: WeightMemory) throws -> Tensor {
        try memory.tensor(elementType, shape: shape) { destination in
            for index in destination.indices { destination[index] = 0 }
            var walk = Walk(self, bytes)
            try walk.visit(level: 0, position: 0, destination)
            guard walk.next == bytes.endIndex else {
                throw FormatError.invalid("there are more elements than positions")
            }
        }
    }

    /// The maximum number of nodes without elements: those of dense dimensions above compressed ones.
    private static let emptyNodeCount = 1 << 20

    /// A walk through the tree, in the order of the elements.
    private struct Walk {
        private let sparsity: TFLiteSparsity
        private let bytes: ArraySlice<UInt8>
        private let strides: [Int]
        /// The node's coordinates along the axes so far, those within blocks last.
        private var coordinates: [Int]
        /// The number of nodes of each level so far.
        private var counts: [Int]
        /// The position of the next element's bytes.
        private(set) var next: Int

        private var size: Int { sparsity.elementType.byteCount }

        init(_ sparsity: TFLiteSparsity, _ bytes: ArraySlice<UInt8>) {
            self.sparsity = sparsity
            self.bytes = bytes
            strides = Shape.rowMajorStrides(sparsity.shape)
            coordinates = [Int](repeating: 0, count: sparsity.order.count)
            counts = coordinates
            next = bytes.startIndex
        }

        /// Visits the part of the tree beneath the node at a position of a level.
        mutating func visit(
            level: Int, position: Int, _ destination: UnsafeMutableRawBufferPointer
        ) throws(FormatError) {
            guard level < sparsity.levels.count else { return try place(destination) }
            let axis = sparsity.order[level]
            switch sparsity.levels[level] {
            case .dense(let extent):
                guard extent >= 0, extent <= bytes.count / size else {
                    throw .invalid("a dimension has the extent \(extent)")
                }
                let (first, overflow) = position.multipliedReportingOverflow(by: extent)
                guard !overflow, first <= Int.max - extent else { throw .invalid("a position is out of range") }
                try count(extent, at: level)
                for coordinate in 0..<extent {
                    coordinates[axis] = coordinate
                    try visit(level: level + 1, position: first + coordinate, destination)
                }
            case .compressed(let segments, let indices):
                guard position < Int.max, let first = try segments.integer(position),
                    let end = try segments.integer(position + 1), first >= 0, first <= end, end <= indices.count
                else { throw .invalid("the segments of a dimension do not fit its positions") }
                try count(end - first, at: level)
                for entry in first..<end {
                    coordinates[axis] = try indices.integer(entry) ?? -1
                    try visit(level: level + 1, position: entry, destination)
                }
            }
        }

        /// Counts nodes against the limit.
        private mutating func count(_ nodes: Int, at level: Int) throws(FormatError) {
            counts[level] += nodes
            guard counts[level] <= bytes.count / size + TFLiteSparsity.emptyNodeCount else {
                throw .invalid("more elements are described than are kept")
            }
        }

        /// Copies the next element to its place.
        private mutating func place(_ destination: UnsafeMutableRawBufferPointer) throws(FormatError) {
            let shape = sparsity.shape
            var offset = 0
            for axis in shape.indices {
                var coordinate = coordinates[axis]
                if let block = sparsity.blockMap.firstIndex(of: axis) {
                    let (start, overflow) = coordinate.multipliedReportingOverflow(by: sparsity.blockExtents[block])
                    guard !overflow else { throw .invalid("a position is out of range") }
                    coordinate = start &+ coordinates[shape.count + block]
                }
                guard (0..<shape[axis]).contains(coordinate) else {
                    throw .invalid("position \(coordinate) is outside axis \(axis) of \(shape)")
                }
                offset += coordinate * strides[axis]
            }
            guard next + size <= bytes.endIndex else { throw .invalid("elements are missing") }
            for byte in 0..<size { destination[offset * size + byte] = bytes[next + byte] }
            next += size
        }
    }
}
