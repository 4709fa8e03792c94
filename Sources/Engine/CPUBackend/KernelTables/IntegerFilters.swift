import CPUKernels
import Graphs
import Planning
import Tensors

/// The weights of a depthwise convolution of 8-bit integers, with their sums, in the order that the kernel's vectors
/// need.
struct IntegerFilters: Sendable {
    /// Whether all pixels of a row form one run of elements; otherwise each pixel is a run.
    let joinsPixels: Bool
    /// The number of elements after which the weights repeat; a multiple of the kernel's block.
    let period: Int
    /// The words of each element's taps.
    let wordCount: Int
    /// The words, then the sum of every channel's taps.
    let weights: Tensor
    let bias: Tensor
    let requantization: IntegerRequantization

    /// The maximum number of pixels for which weights are repeated.
    private static let maximumPixels = 16

    /// - Parameter mayJoinPixels: Whether output pixels are dense.
    init(
        _ convolution: IntegerConvolutionRequest, _ kernel: IntegerKernel, mayJoinPixels: Bool,
        _ packedWeights: PackedWeights
    ) throws {
        let operation = convolution.operation
        let (channels, taps) = (convolution.weights.shape[0], convolution.weights.shape[2...].reduce(1, *))
        let (block, group) = (kernel.kernel.block, kernel.kernel.group)
        let padded = (channels + block - 1) / block * block
        let pixels = (1...Self.maximumPixels).first { channels * $0 % block == 0 }
        let joins = mayJoinPixels && pixels != nil
        let period = joins ? channels * (pixels ?? 1) : padded
        let words = (taps + group - 1) / group
        let point = operation.weightZeroPoint
        let places = (0..<period).map { Self.place($0, block: block, group: group) }
        func channel(_ element: Int) -> Int? {
            joins ? element % channels : element < channels ? element : nil
        }
        let sums = period * words
        weights = try packedWeights.tensor(
            convolution.weights, packing: "integer/filters of \(period), \(block) by \(group)/less \(point)"
        ) { original in
            let values = original.elements(as: Int32.self)
            var packed = [Int32](repeating: 0, count: sums + channels)
            for channel in 0..<channels {
                packed[sums + channel] = values[channel * taps..<(channel + 1) * taps].reduce(0) { $0 &+ $1 &- point }
            }
            for element in 0..<period {
                guard let channel = channel(element) else { continue }
                let first = element / block * block
                for tap in 0..<taps {
                    let value = UInt32(truncatingIfNeeded: values[channel * taps + tap] &- point)
                    let bits =
                        group == 4
                        ? (value & 0xFF) << (8 * UInt32(tap % 4)) : (value & 0xFFFF) << (16 * UInt32(tap % 2))
                    packed[first * words + tap / group * block + places[element] - first] |= Int32(bitPattern: bits)
                }
            }
            return try Tensor(packed, shape: [packed.count])
        }
        var biases = [Int32](repeating: 0, count: channels)
        if let bias = convolution.bias { biases = bias.elements(as: Int32.self) }
        let zero = apus_integer_zero(
            kernel.kernel.factors, convolution.input.elementType == .int8 ? 1 : 0, operation.inputZeroPoint)
        if zero != 0 {
            let packed = weights.elements(as: Int32.self)
            for channel in 0..<channels { biases[channel] &-= zero &* packed[sums + channel] }
        }
        var placed = [Int32](repeating: 0, count: period)
        var channelOfPlace = [Int?](repeating: nil, count: period)
        for element in 0..<period {
            guard let channel = channel(element) else { continue }
            placed[places[element]] = biases[channel]
            channelOfPlace[places[element]] = channel
        }
        bias = try Tensor(placed, shape: [period])
        requantization = try IntegerRequantization(operation.requantization, channels: channelOfPlace)
        (joinsPixels, self.period, wordCount) = (joins, period, words)
    }

    /// The position of an element, as `apus_integer_depthwise` defines it.
    private static func place(_ element: Int, block: Int, group: Int) -> Int {
        let inner = element % block
        return element - inner + inner / 4 % group * (block / group) + inner / (4 * group) * 4 + inner % 4
    }
}
