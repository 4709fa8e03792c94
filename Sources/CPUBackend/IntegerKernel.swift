import CPUKernels
import Graphs
import Planning
import Tensors

/// The kernels for 8-bit integers of one instruction set.
struct IntegerKernel: BitwiseCopyable, Sendable {
    let kernel: apus_integer_kernel
    /// Multiply-adds per microsecond that a product of large matrices reaches on one core, roughly.
    let multiplyAddsPerMicrosecond: Double

    /// - Parameter multipliesBytes: Whether weights less their zero point fit in 8 bits.
    init(_ instructionSet: InstructionSet, multipliesBytes: Bool) {
        kernel =
            apus_integer_kernel_for(instructionSet.cValue, multipliesBytes ? 1 : 0)?.pointee ?? apus_integer_baseline
        multiplyAddsPerMicrosecond =
            instructionSet.multiplyAddsPerMicrosecond
            * (kernel.group == 4 ? 2.5 : instructionSet == .baseline ? 0.3 : 1.3)
    }

    /// Whether 8-bit weights less their zero point fit in 8 bits with a sign.
    static func fitsBytes(_ elementType: ElementType, zeroPoint: Int32) -> Bool {
        elementType == .int8 ? zeroPoint == 0 : zeroPoint == 128
    }

    func paddedColumns(_ columns: Int) -> Int {
        (columns + kernel.panel_columns - 1) / kernel.panel_columns * kernel.panel_columns
    }

    /// Elements of a patch, in words of 32 bits.
    func words(_ depth: Int) -> Int { (depth + kernel.group - 1) / kernel.group }

    /// Weights `[M, C, taps…]` in panels, followed by the sum of every column in 32 bits; made once per session.
    ///
    /// - Parameter runCount: The runs of adjacent taps, each of which fills whole words.
    func pack(
        _ weights: Tensor, runCount: Int, zeroPoint: Int32, in packedWeights: PackedWeights
    ) throws -> Tensor {
        let name = "integer/panels of \(kernel.panel_columns) by \(kernel.group)/\(runCount) runs less \(zeroPoint)"
        let (columns, taps) = (weights.shape[0], weights.shape[2...].reduce(1, *))
        let panelByteCount =
            paddedColumns(columns) * runCount * words(taps * weights.shape[1] / runCount) * MemoryLayout<Int32>.stride
        return try packedWeights.tensor(weights, packing: name) { original in
            let dense = try original.contiguous()
            let byteCount = panelByteCount + columns * MemoryLayout<Int32>.stride
            return try packedWeights.memory.tensor(.uint8, shape: [byteCount]) { bytes in
                guard let start = bytes.baseAddress else { return }
                var factor = apus_integer_weights(
                    elements: dense.firstElement.assumingMemoryBound(to: UInt8.self), column_count: columns,
                    channel_count: dense.shape[1], tap_count: taps, run_count: runCount,
                    is_signed: dense.elementType == .int8 ? 1 : 0, zero_point: zeroPoint)
                apus_pack_integers(
                    &factor, kernel.group, kernel.panel_columns, start,
                    (start + panelByteCount).assumingMemoryBound(to: Int32.self))
                withExtendedLifetime(dense) {}
            }
        }
    }

    /// The bias for every column of packed weights, with what the kernel adds to its input taken out.
    func bias(_ bias: Tensor?, packed: Tensor, columns: Int, zeroPoint: Int32, isSigned: Bool) -> [Int32] {
        var values = [Int32](repeating: 0, count: paddedColumns(columns))
        values.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            fillBias(start, packed: packed, columns: columns, zeroPoint: zeroPoint, isSigned: isSigned)
        }
        if let bias {
            for (column, value) in bias.elements(as: Int32.self).enumerated() { values[column] &+= value }
        }
        return values
    }

    /// The same without a bias.
    func fillBias(
        _ values: UnsafeMutablePointer<Int32>, packed: Tensor, columns: Int, zeroPoint: Int32, isSigned: Bool
    ) {
        values.update(repeating: 0, count: paddedColumns(columns))
        let zero = apus_integer_zero(kernel.factors, isSigned ? 1 : 0, zeroPoint)
        guard zero != 0 else { return }
        let sums = (packed.firstElement + packed.byteCount - columns * MemoryLayout<Int32>.stride)
            .assumingMemoryBound(to: Int32.self)
        for column in 0..<columns { values[column] = 0 &- zero &* sums[column] }
        withExtendedLifetime(packed) {}
    }
}

/// The factors and limits of a requantization in the memory of a plan.
struct IntegerRequantization: Sendable {
    private let requantization: Requantization
    /// Multipliers and then shifts, or scales.
    private let factors: Tensor
    private let count: Int
    private var hasSmallScales = false

    /// - Parameter count: As many columns as kernels read, those that fill the last panel included.
    init(_ requantization: Requantization, columns: Int, paddedTo count: Int) throws {
        try self.init(requantization, channels: (0..<count).map { $0 < columns ? $0 : nil })
    }

    /// - Parameter channels: The channel of every place; nil for those that fill up.
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

    /// What kernels read; valid as long as this value.
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
    /// The same for the columns from `column` on.
    func from(_ column: Int) -> apus_requantization {
        var part = self
        part.scales = scales.map { $0 + column }
        part.multipliers = multipliers.map { $0 + column }
        part.shifts = shifts.map { $0 + column }
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
