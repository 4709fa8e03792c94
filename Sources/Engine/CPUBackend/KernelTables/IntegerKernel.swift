import CPUKernels
import Graphs
import Planning
import Tensors

/// The kernels for 8-bit integers of one instruction set.
struct IntegerKernel: BitwiseCopyable, Sendable {
    let kernel: apus_integer_kernel
    /// The approximate multiply-adds per microsecond of a product of large matrices on one core.
    let multiplyAddsPerMicrosecond: Double

    /// - Parameter multipliesBytes: Whether weights minus their zero point fit in 8 bits.
    init(_ instructionSet: InstructionSet, multipliesBytes: Bool) {
        kernel =
            apus_integer_kernel_for(instructionSet.cValue, multipliesBytes ? 1 : 0)?.pointee ?? apus_integer_baseline
        multiplyAddsPerMicrosecond =
            instructionSet.multiplyAddsPerMicrosecond
            * (kernel.group == 4 ? 2.5 : instructionSet == .baseline ? 0.3 : 1.3)
    }

    /// Whether 8-bit weights minus their zero point fit in signed 8-bit integers.
    static func fitsBytes(_ elementType: ElementType, zeroPoint: Int32) -> Bool {
        elementType == .int8 ? zeroPoint == 0 : zeroPoint == 128
    }

    func paddedColumns(_ columns: Int) -> Int {
        (columns + kernel.panel_columns - 1) / kernel.panel_columns * kernel.panel_columns
    }

    /// The number of 32-bit words for `depth` elements of a patch.
    func words(_ depth: Int) -> Int { (depth + kernel.group - 1) / kernel.group }

    /// Packs weights `[M, C, taps…]` in panels, once per session. Two 32-bit numbers follow for every column: its sum,
    /// and the amount that its pairs of words add to products with it.
    ///
    /// - Parameter runCount: The number of runs of adjacent taps; each fills whole words.
    func pack(
        _ weights: Tensor, runCount: Int, zeroPoint: Int32, in packedWeights: PackedWeights
    ) throws -> Tensor {
        let (columns, taps) = (weights.shape[0], weights.shape[2...].reduce(1, *))
        let panelByteCount =
            paddedColumns(columns) * runCount * words(taps * weights.shape[1] / runCount) * MemoryLayout<Int32>.stride
        return try pack(
            weights, zeroPoint: zeroPoint, "panels of \(kernel.panel_columns) by \(kernel.group)/\(runCount) runs",
            byteCount: panelByteCount + 2 * columns * MemoryLayout<Int32>.stride, in: packedWeights
        ) { factor, start in
            factor.run_count = runCount
            let sums = (start + panelByteCount).assumingMemoryBound(to: Int32.self)
            withUnsafePointer(to: kernel) { apus_pack_integers(&factor, $0, start, sums, sums + columns) }
        }
    }

    /// Packs weights `[M, C, 3, 3]` in panels, transformed for Winograd's minimal filtering, once per session.
    func packTransformed(
        _ weights: Tensor, zeroPoint: Int32, in packedWeights: PackedWeights
    ) throws -> Tensor {
        let byteCount = transformedPanelByteStride(channels: weights.shape[1]) * paddedColumns(weights.shape[0])
        return try pack(
            weights, zeroPoint: zeroPoint, "winograd-4x4/panels of \(kernel.panel_columns)", byteCount: byteCount,
            in: packedWeights
        ) { factor, start in
            apus_pack_transformed_integers(
                &factor, kernel.panel_columns, start.assumingMemoryBound(to: Int16.self))
        }
    }

    /// The products of a transformed tile for a pair of channels.
    static let productsPerTile = 36

    /// Bytes of a column of transformed weights.
    func transformedPanelByteStride(channels: Int) -> Int {
        Self.productsPerTile * ((channels + 1) / 2) * MemoryLayout<Int32>.stride
    }

    private func pack(
        _ weights: Tensor, zeroPoint: Int32, _ arrangement: String, byteCount: Int, in packedWeights: PackedWeights,
        fill: (inout apus_integer_weights, UnsafeMutableRawPointer) -> Void
    ) throws -> Tensor {
        try packedWeights.tensor(weights, packing: "integer/\(arrangement)/less \(zeroPoint)") { original in
            let dense = try original.contiguous()
            return try packedWeights.memory.tensor(.uint8, shape: [byteCount]) { bytes in
                guard let start = bytes.baseAddress else { return }
                var factor = apus_integer_weights(dense, zeroPoint: zeroPoint)
                fill(&factor, start)
                withExtendedLifetime(dense) {}
            }
        }
    }

    /// Fills the bias of every column of the panels: 0 minus what the kernel adds to its input and to products.
    func fillBias(
        _ values: UnsafeMutablePointer<Int32>, packed: Tensor, columns: Int, zeroPoint: Int32, isSigned: Bool
    ) {
        values.update(repeating: 0, count: paddedColumns(columns))
        let zero = apus_integer_zero(kernel.factors, isSigned ? 1 : 0, zeroPoint)
        let sums = (packed.firstElement + packed.byteCount - 2 * columns * MemoryLayout<Int32>.stride)
            .assumingMemoryBound(to: Int32.self)
        for column in 0..<columns { values[column] = 0 &- zero &* sums[column] &- sums[columns + column] }
        withExtendedLifetime(packed) {}
    }
}

extension apus_integer_weights {
    /// Dense weights `[M, C, taps…]`; they must stay alive while this value is used.
    init(_ weights: Tensor, zeroPoint: Int32) {
        self.init(
            elements: weights.firstElement.assumingMemoryBound(to: UInt8.self), column_count: weights.shape[0],
            channel_count: weights.shape[1], tap_count: weights.shape[2...].reduce(1, *), run_count: 1,
            is_signed: weights.elementType == .int8 ? 1 : 0, zero_point: zeroPoint)
    }
}

/// The factors and limits of a requantization, in memory that belongs to a plan.
struct IntegerRequantization: Sendable {
    private let requantization: Requantization
    /// Multipliers followed by shifts, or scales.
    private let factors: Tensor
    private let count: Int
    private var hasSmallScales = false

    /// - Parameter count: The number of columns that kernels read, padding of the last panel included.
    init(_ requantization: Requantization, columns: Int, paddedTo count: Int) throws {
        try self.init(requantization, channels: (0..<count).map { $0 < columns ? $0 : nil })
    }

    /// - Parameter channels: The channel at every position; nil at padding.
    init(_ requantization: Requantization, channels: [Int?]) throws {
        self.requantization = requantization
        count = channels.count
        func spread<Number>(_ values: [Number], _ fill: Number) -> [Number] {
            channels.map { channel in channel.map { values[values.count == 1 ? 0 : $0] } ?? fill }
        }
        switch requantization.factors {
        case .fixedPoint(let multipliers):
            factors = try Tensor(
                spread(multipliers.map(\.value), 0) + spread(multipliers.map(\.shift), 0), shape: [2 * count])
        case .float(let scales):
            factors = try Tensor(spread(scales, 0), shape: [count])
            hasSmallScales = scales.allSatisfy { $0 < 1 }
        }
    }

    /// The requantization in the form that kernels read; valid as long as this value.
    var cValue: apus_requantization {
        let isFloat = factors.elementType == .float32
        let integers = factors.firstElement.assumingMemoryBound(to: Int32.self)
        return apus_requantization(
            scales: isFloat ? UnsafePointer(factors.firstElement.assumingMemoryBound(to: Float.self)) : nil,
            has_small_scales: hasSmallScales ? 1 : 0,
            multipliers: isFloat ? nil : UnsafePointer(integers),
            shifts: isFloat ? nil : UnsafePointer(integers + count),
            zero_point: requantization.zeroPoint, low: requantization.range.lowerBound,
            high: requantization.range.upperBound, rounds_once: requantization.roundsOnce ? 1 : 0)
    }
}

extension apus_requantization {
    /// The requantization of the columns from `column` on.
    func from(_ column: Int) -> apus_requantization {
        var part = self
        part.scales = scales.map { $0 + column }
        part.multipliers = multipliers.map { $0 + column }
        part.shifts = shifts.map { $0 + column }
        return part
    }
}

extension apus_dequantization {
    /// The conversion of the columns from `column` on.
    func from(_ column: Int) -> apus_dequantization {
        var part = self
        part.output = output.map { $0 + column }
        part.scales = scales.map { $0 + column }
        part.bias = bias.map { $0 + column }
        part.addend = addend.map { $0 + column }
        return part
    }
}

extension StepContext {
    /// The bytes of an operand, for reading.
    func bytes(_ operand: Operand) -> UnsafePointer<UInt8> {
        memory.address(operand).assumingMemoryBound(to: UInt8.self)
    }

    /// The bytes of an operand, for writing.
    func mutableBytes(_ operand: Operand) -> UnsafeMutablePointer<UInt8> {
        memory.mutableAddress(operand).assumingMemoryBound(to: UInt8.self)
    }
}
