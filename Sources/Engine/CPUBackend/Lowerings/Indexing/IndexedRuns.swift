import CPUKernels
import Graphs
import Planning
import Tensors

/// The runs of a tensor that Gather, GatherElements, GatherND, ScatterElements and ScatterND read or write.
struct IndexedRuns {
    private(set) var runs = apus_indexed_runs()
    /// The number of runs.
    let count: Int
    /// Whether the indices are int64, and not int32.
    private let isWide: Bool

    /// - Returns: nil for other operators, for indices that are not whole numbers, and for more than 8 axes.
    init?(_ request: LoweringRequest) {
        guard request.inputs.count >= 2, let tensor = request.inputs[0], let indices = request.inputs[1] else {
            return nil
        }
        switch request.operation {
        case let gather as Gather:
            guard let axis = try? Axes.resolve(gather.axis, rank: tensor.rank) else { return nil }
            self.init(slicesOf: tensor.shape, along: axis, indices)
        case let gather as GatherElements: self.init(elementsOf: tensor.shape, along: gather.axis, indices)
        case let scatter as ScatterElements: self.init(elementsOf: tensor.shape, along: scatter.axis, indices)
        case let gather as GatherND: self.init(tuplesIn: tensor.shape, batchAxes: gather.batchAxes, indices)
        case is ScatterND: self.init(tuplesIn: tensor.shape, batchAxes: 0, indices)
        default: return nil
        }
    }

    /// Runs of all axes behind one, for each index and each position of the axes before it.
    private init?(slicesOf shape: [Int], along axis: Int, _ indices: TensorType) {
        let length = shape[(axis + 1)...].elementCount
        self.init(
            places: [shape[..<axis].elementCount, indices.elementCount], baseStrides: [shape[axis] * length, 0],
            indexStrides: [0, 1], coordinates: [(shape[axis], length)], length: length, indices.elementType)
    }

    /// Single elements, with an index along one axis for each place.
    private init?(elementsOf shape: [Int], along axis: Int, _ indices: TensorType) {
        guard let axis = try? Axes.resolve(axis, rank: shape.count) else { return nil }
        var strides = Shape.rowMajorStrides(shape)
        let step = strides[axis]
        strides[axis] = 0
        self.init(
            places: indices.shape, baseStrides: strides, indexStrides: Shape.rowMajorStrides(indices.shape),
            coordinates: [(shape[axis], step)], length: 1, indices.elementType)
    }

    /// Runs that tuples of coordinates name; the last axis of the indices holds a tuple.
    private init?(tuplesIn shape: [Int], batchAxes: Int, _ indices: TensorType) {
        guard let depth = indices.shape.last, batchAxes + depth <= shape.count else { return nil }
        let strides = Shape.rowMajorStrides(shape)
        let places = Array(indices.shape.dropLast())
        guard batchAxes <= places.count else { return nil }
        let coordinates = batchAxes..<batchAxes + depth
        self.init(
            places: places,
            baseStrides: strides[..<batchAxes] + [Int](repeating: 0, count: places.count - batchAxes),
            indexStrides: Shape.rowMajorStrides(indices.shape).dropLast(),
            coordinates: coordinates.map { (shape[$0], strides[$0]) },
            length: shape[(batchAxes + depth)...].elementCount, indices.elementType)
    }

    private init?(
        places: [Int], baseStrides: some Collection<Int>, indexStrides: some Collection<Int>,
        coordinates: [(extent: Int, stride: Int)], length: Int, _ type: ElementType
    ) {
        let maximum = Int(APUS_INDEXING_MAXIMUM_RANK)
        guard type == .int64 || type == .int32, max(places.count, coordinates.count) <= maximum else { return nil }
        count = places.elementCount
        isWide = type == .int64
        let isScalar = places.isEmpty
        runs.rank = isScalar ? 1 : places.count
        withUnsafeMutableBytes(of: &runs.extents) { $0.copy(isScalar ? [1] : places) }
        withUnsafeMutableBytes(of: &runs.base_strides) { $0.copy(isScalar ? [0] : Array(baseStrides)) }
        withUnsafeMutableBytes(of: &runs.index_strides) { $0.copy(isScalar ? [0] : Array(indexStrides)) }
        runs.coordinate_count = coordinates.count
        withUnsafeMutableBytes(of: &runs.coordinate_extents) { $0.copy(coordinates.map(\.extent)) }
        withUnsafeMutableBytes(of: &runs.coordinate_strides) { $0.copy(coordinates.map(\.stride)) }
        runs.run_length = length
    }

    /// The indices in memory.
    func indices(_ operand: Operand, _ memory: ExecutionMemory) -> apus_indices {
        apus_indices(elements: memory.address(operand), is_wide: isWide ? 1 : 0)
    }
}

extension apus_index_fault {
    /// Throws the error for an index outside its axis, if there was one.
    func check() throws(OperatorError) {
        if is_found != 0 { throw .outside(index, extent: extent) }
    }
}
