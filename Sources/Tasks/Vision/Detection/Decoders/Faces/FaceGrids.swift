import Images
import Models
import Platform
import Preparation
import Tensors

/// A detector of faces with outputs for each of several grids: arrays whose last extents say what they hold, in the
/// order of falling numbers of cells, the finest grid first.
struct FaceGrids: Sendable {
    /// The arrays of one grid, by position among the network's outputs.
    struct Grid: Sendable {
        let stride: Int
        let outputs: [Int]
    }

    let grids: [Grid]

    /// Finds the outputs by the extents of their rows.
    ///
    /// - Parameters:
    ///   - extents: The last extents of a grid's arrays, in the order in which they are wanted. Where numbers of cells
    ///     are open, arrays of finer grids come before those of coarser ones with the same contents.
    ///   - anchorCount: The number of rows for each cell.
    /// - Returns: Nil where the outputs are others.
    init?(_ signature: DetectorSignature, extents: [Int], strides: [Int], anchorCount: Int) {
        guard signature.outputs.count == extents.count * strides.count else { return nil }
        func extent(_ index: Int, fromLast: Int) -> Int?? {
            guard let shape = signature.outputs[index].shape, shape.count == 2 || shape.count == 3 else { return nil }
            return shape[shape.count - 1 - fromLast]
        }
        var grids: [Grid] = []
        for (grid, stride) in strides.enumerated() {
            let count = signature.inputSize.map { ($0.width / stride) * ($0.height / stride) * anchorCount }
            var outputs: [Int] = []
            for (index, wanted) in extents.enumerated() {
                // How many arrays with the same extent come before in a grid.
                let before = extents[..<index].count { $0 == wanted }
                let fitting = signature.outputs.indices.filter { extent($0, fromLast: 0) == .some(.some(wanted)) }
                let areOpen = count == nil || fitting.contains { extent($0, fromLast: 1) == .some(nil) }
                let own = areOpen ? fitting : fitting.filter { extent($0, fromLast: 1) == .some(count) }
                let position = areOpen ? before * strides.count + grid : before
                guard own.indices.contains(position) else { return nil }
                outputs.append(own[position])
            }
            grids.append(Grid(stride: stride, outputs: outputs))
        }
        guard Set(grids.flatMap(\.outputs)).count == signature.outputs.count else { return nil }
        self.grids = grids
    }

    /// The numbers of a grid's arrays for one picture.
    ///
    /// - Throws: ``RecordError`` where an array has another count of numbers than the grid has in a picture of `size`.
    func arrays(
        of grid: Grid, in tensors: [Tensor], _ size: ImageSize, extents: [Int], anchorCount: Int,
        _ decoder: any ObjectDecoder.Type
    ) throws(RecordError) -> [[Float]] {
        let count = (size.width / grid.stride) * (size.height / grid.stride) * anchorCount
        var arrays: [[Float]] = []
        for (position, extent) in zip(grid.outputs, extents) {
            guard tensors.indices.contains(position), tensors[position].elementCount == count * extent else {
                throw decoder.mismatch(
                    "output \(position) is \(tensors.indices.contains(position) ? tensors[position].shape : []), "
                        + "not [\(count), \(extent)]")
            }
            arrays.append(try tensors[position].finiteElements())
        }
        return arrays
    }
}

/// Pairs of numbers in an array.
extension [Float] {
    /// Numbers `start` and `start + 1`.
    func pair(at start: Int) -> SIMD2<Float> { SIMD2(self[start], self[start + 1]) }
}

extension SIMD2<Float> {
    /// The column and the row of a cell in a grid with the given number of columns.
    init(cell: Int, columns: Int) { self.init(Float(cell % columns), Float(cell / columns)) }
}

extension Labels {
    /// The class of detectors of faces.
    static var face: Labels { Labels(["face"]) }
}
