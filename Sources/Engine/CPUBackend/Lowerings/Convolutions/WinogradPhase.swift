import Graphs

/// The outputs of a dilated convolution that read the same part of the image. Outputs (y₀ + i · d, x₀ + j · d) are a
/// convolution that is not dilated, of the pixels at distances d from one another.
///
/// Axes are exchanged where the filter is a column.
struct WinogradPhase {
    /// Along one axis: the positions start + i · d.
    struct Axis {
        let outputStart: Int
        let outputCount: Int
        let inputStart: Int
        let inputCount: Int
        let padding: Int

        /// The phases of an axis, each with outputs.
        static func all(_ geometry: SpatialWindow.Geometry, axis: Int) -> [Axis] {
            let dilation = geometry.dilations[axis]
            return (0..<min(dilation, geometry.output[axis])).map { start in
                // Tap 0 of the first output reads at start − padsBegin = inputStart − padding · d.
                let padding = (geometry.padsBegin[axis] - start + dilation - 1) / dilation
                let inputStart = start - geometry.padsBegin[axis] + padding * dilation
                return Axis(
                    outputStart: start, outputCount: Self.count(geometry.output[axis], from: start, dilation),
                    inputStart: inputStart, inputCount: Self.count(geometry.input[axis], from: inputStart, dilation),
                    padding: padding)
            }
        }

        private static func count(_ extent: Int, from start: Int, _ step: Int) -> Int {
            max(0, (extent - start + step - 1) / step)
        }
    }

    let row: Axis
    let column: Axis
    let tiling: WinogradPartition
}
