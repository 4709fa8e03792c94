import CPUKernels
import Graphs

/// A random product of rows with weights, whose operands have gaps, and its result by a plain loop.
struct RandomProduct: CustomStringConvertible {
    /// The value of elements that a kernel must not change.
    static let untouched: Float = 12345

    let rows: Int
    let columns: Int
    let segmentCount: Int
    let segmentLength: Int
    /// [rows][depth + gap]
    var left: [Float]
    let leftStride: Int
    /// [depth][columns]
    let right: [Float]
    let bias: [Float]
    let addend: [Float]?
    let addendStride: Int
    let outputStride: Int
    let activation: apus_activation

    /// - Parameter isFractional: Whether elements are fractions; otherwise they are small whole numbers, whose sums are
    ///   exact in any order.
    init(rows: Int, columns: Int, isFractional: Bool, _ generator: inout SplitMix64) {
        func numbers(_ count: Int) -> [Float] {
            (0..<count).map { _ in
                isFractional
                    ? Float.random(in: -1...1, using: &generator) : Float(Int.random(in: -8...8, using: &generator))
            }
        }
        self.rows = rows
        self.columns = columns
        segmentCount = Int.random(in: 1...4, using: &generator)
        segmentLength = Int.random(in: 1...21, using: &generator)
        let depth = segmentCount * segmentLength
        leftStride = depth + Int.random(in: 0...3, using: &generator)
        left = numbers(rows * leftStride)
        right = numbers(depth * columns)
        bias = numbers(columns)
        addendStride = columns + Int.random(in: 0...3, using: &generator)
        addend = Bool.random(using: &generator) ? numbers(rows * addendStride) : nil
        outputStride = columns + Int.random(in: 0...3, using: &generator)
        activation =
            [
                apus_activation(kind: APUS_ACTIVATION_NONE, low: 0, high: 0),
                apus_activation(kind: APUS_ACTIVATION_RELU, low: 0, high: 0),
                apus_activation(kind: APUS_ACTIVATION_CLIP, low: -5, high: 40),
                apus_activation(kind: APUS_ACTIVATION_LEAKY_RELU, low: 0.25, high: 0),
            ][Int.random(in: 0...3, using: &generator)]
    }

    func replacingLeft(with value: Float) -> RandomProduct {
        var copy = self
        copy.left = left.map { _ in value }
        return copy
    }

    var depth: Int { segmentCount * segmentLength }

    var description: String {
        "\(rows) × \(columns), \(segmentCount) segments of \(segmentLength), \(activation.kind), "
            + (addend == nil ? "no addend" : "addend")
    }

    /// The result in float64, rounded at the end.
    var expected: [Float] {
        var output = [Float](repeating: Self.untouched, count: rows * outputStride)
        for row in 0..<rows {
            for column in 0..<columns {
                var sum = Double(bias[column])
                for k in 0..<depth { sum += Double(left[row * leftStride + k]) * Double(right[k * columns + column]) }
                if let addend { sum += Double(addend[row * addendStride + column]) }
                output[row * outputStride + column] = Float(activated(sum))
            }
        }
        return output
    }

    private func activated(_ x: Double) -> Double {
        switch activation.kind {
        case APUS_ACTIVATION_RELU: max(x, 0)
        case APUS_ACTIVATION_CLIP: min(max(x, Double(activation.low)), Double(activation.high))
        case APUS_ACTIVATION_LEAKY_RELU: x < 0 ? x * Double(activation.low) : x
        default: x
        }
    }

    /// The result of a kernel, in calls of at most `rowsPerCall` rows.
    func result(_ kernel: apus_gemm_kernel, rowsPerCall: Int? = nil) -> [Float] {
        let panels = (columns + kernel.panel_columns - 1) / kernel.panel_columns
        let padded = panels * kernel.panel_columns
        var weights = [Float](repeating: .nan, count: depth * padded)
        right.withUnsafeBufferPointer { right in
            guard let elements = right.baseAddress else { return }
            var factor = apus_gemm_factor(
                elements: elements, tap_count: 1, channel_count: depth, column_count: columns, tap_stride: 0,
                channel_stride: columns, column_stride: 1)
            apus_gemm_pack(&factor, kernel.panel_columns, &weights)
        }
        let paddedBias = bias + [Float](repeating: 0, count: padded - columns)
        var output = [Float](repeating: Self.untouched, count: rows * outputStride)
        let most = rowsPerCall ?? rows
        for first in stride(from: 0, to: rows, by: most) {
            let count = min(most, rows - first)
            left.withUnsafeBufferPointer { left in
                guard let start = left.baseAddress else { return }
                let addresses = addresses(start + first * leftStride, count, kernel.tile_rows)
                addresses.withUnsafeBufferPointer { addresses in
                    guard let rows = addresses.baseAddress else { return }
                    output.withUnsafeMutableBufferPointer { output in
                        guard let output = output.baseAddress else { return }
                        weights.withUnsafeBufferPointer { weights in
                            paddedBias.withUnsafeBufferPointer { bias in
                                withAddend(first) { addend in
                                    guard let weights = weights.baseAddress, let bias = bias.baseAddress else { return }
                                    var block = apus_gemm_block(
                                        rows: rows, zeros: nil, row_count: count, segment_count: segmentCount,
                                        segment_length: segmentLength, weights: weights, bias: bias,
                                        column_count: columns, output: output + first * outputStride,
                                        output_stride: outputStride, addend: addend, addend_stride: addendStride,
                                        activation: activation, rounded: nil,
                                        rounded_stride: 0, rounded_addend: nil)
                                    kernel.multiply(&block)
                                }
                            }
                        }
                    }
                }
            }
        }
        return output
    }

    private func withAddend(_ row: Int, _ body: (UnsafePointer<Float>?) -> Void) {
        guard let addend else { return body(nil) }
        addend.withUnsafeBufferPointer { body($0.baseAddress.map { $0 + row * addendStride }) }
    }

    /// [tile][segment][row of the tile]
    private func addresses(
        _ start: UnsafePointer<Float>, _ rowCount: Int, _ tileRows: Int
    ) -> [UnsafePointer<Float>] {
        let tiles = apus_gemm_tile_count(rowCount, tileRows)
        return (0..<tiles).flatMap { tile in
            let first = apus_gemm_tile_start(rowCount, tiles, tile)
            let end = apus_gemm_tile_start(rowCount, tiles, tile + 1)
            return (0..<segmentCount).flatMap { segment in
                (first..<end).map { start + $0 * leftStride + segment * segmentLength }
            }
        }
    }
}
