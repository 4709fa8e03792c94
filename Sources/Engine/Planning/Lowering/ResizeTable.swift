import Graphs

/// For each output element of an axis, the input elements and their weights; their number is the same for all.
package struct ResizeTable: Sendable {
    package private(set) var indices: [Int32] = []
    package private(set) var weights: [Float] = []
    /// The number of input elements per output element.
    package let width: Int

    /// The maximum number of output elements of an axis; longer tables are not made.
    package static let maximumOutput = 1 << 20

    package init(_ interpolation: Interpolation, _ axis: Interpolation.Axis) {
        let taps = (0..<axis.output).map { index in
            let found = interpolation.position(index, axis)
            return axis.input == axis.output && axis.scale == 1
                ? [(index: index, weight: 1.0)] : interpolation.taps(at: found.isNaN ? 0 : found, axis)
        }
        width = max(1, taps.map(\.count).max() ?? 1)
        for row in taps {
            for index in 0..<width {
                indices.append(Int32(index < row.count ? row[index].index : row.first?.index ?? 0))
                weights.append(index < row.count ? Float(row[index].weight) : 0)
            }
        }
    }
}
