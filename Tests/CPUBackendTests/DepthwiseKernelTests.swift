import CPUBackend
import CPUKernels
import Graphs
import Testing

@Suite("Depthwise convolution, every instruction set against a plain loop")
struct DepthwiseKernelTests {
    /// The value of elements that a kernel must not change.
    private static let untouched: Float = 12345

    /// A convolution of fractions, or of small whole numbers, whose sums are exact in any order.
    private struct Convolution {
        var window: RandomWindow
        let input: [Float]
        let weights: [Float]
        let bias: [Float]?
        /// As large as the output.
        let addend: [Float]?
        let activation: apus_activation

        init(_ window: RandomWindow, _ generator: inout SplitMix64, isFractional: Bool = false) {
            func numbers(_ count: Int) -> [Float] {
                (0..<count).map { _ in
                    isFractional
                        ? Float.random(in: -1...1, using: &generator)
                        : Float(Int.random(in: -8...8, using: &generator))
                }
            }
            self.window = window
            input = numbers(window.input.count)
            weights = numbers(window.tapCount * window.channels)
            bias = Bool.random(using: &generator) ? numbers(window.channels) : nil
            let outputCount = window.outputHeight * (window.outputWidth * (window.channels + 2) + 1)
            addend = Bool.random(using: &generator) ? numbers(outputCount) : nil
            activation =
                [
                    apus_activation(kind: APUS_ACTIVATION_NONE, low: 0, high: 0),
                    apus_activation(kind: APUS_ACTIVATION_RELU, low: 0, high: 0),
                    apus_activation(kind: APUS_ACTIVATION_CLIP, low: -5, high: 40),
                    apus_activation(kind: APUS_ACTIVATION_LEAKY_RELU, low: 0.25, high: 0),
                ][Int.random(in: 0...3, using: &generator)]
        }

        var pixelStride: Int { window.channels + 2 }
        var rowStride: Int { window.outputWidth * pixelStride + 1 }

        var expected: [Float] {
            var output = [Float](repeating: untouched, count: window.outputHeight * rowStride)
            for y in 0..<window.outputHeight {
                for x in 0..<window.outputWidth {
                    for channel in 0..<window.channels {
                        var sum = bias?[channel] ?? 0
                        for tap in 0..<window.tapCount {
                            guard let index = window.index(y, x, tap: tap, channel) else { continue }
                            sum += input[index] * weights[tap * window.channels + channel]
                        }
                        let position = y * rowStride + x * pixelStride + channel
                        output[position] = activated(sum + (addend?[position] ?? 0))
                    }
                }
            }
            return output
        }

        private func activated(_ x: Float) -> Float {
            switch activation.kind {
            case APUS_ACTIVATION_RELU: max(x, 0)
            case APUS_ACTIVATION_CLIP: min(max(x, activation.low), activation.high)
            case APUS_ACTIVATION_LEAKY_RELU: x < 0 ? activation.low * x : x
            default: x
            }
        }

        /// Computes the output in blocks of rows and channels.
        func output(_ instructions: InstructionSet, rowsPerBlock: Int, channelsPerBlock: Int) throws -> [Float] {
            let kernel = try #require(apus_depthwise_kernel_for(instructions.cValue)).pointee
            var output = [Float](repeating: untouched, count: window.outputHeight * rowStride)
            output.withUnsafeMutableBufferPointer { output in
                for row in stride(from: 0, to: window.outputHeight, by: rowsPerBlock) {
                    for channel in stride(from: 0, to: window.channels, by: channelsPerBlock) {
                        convolve(kernel, row, rowsPerBlock, channel, channelsPerBlock, output)
                    }
                }
            }
            return output
        }

        /// Pointers to the first elements; nil where there is no array.
        private func withPointers(
            _ a: [Float]?, _ b: [Float]?, _ body: (UnsafePointer<Float>?, UnsafePointer<Float>?) -> Void
        ) {
            (a ?? []).withUnsafeBufferPointer { first in
                (b ?? []).withUnsafeBufferPointer { second in
                    body(a == nil ? nil : first.baseAddress, b == nil ? nil : second.baseAddress)
                }
            }
        }

        private func convolve(
            _ kernel: apus_depthwise_kernel, _ row: Int, _ rows: Int, _ channel: Int, _ channels: Int,
            _ output: UnsafeMutableBufferPointer<Float>
        ) {
            input.withUnsafeBufferPointer { input in
                weights.withUnsafeBufferPointer { weights in
                    withPointers(bias, addend) { bias, addend in
                        guard let input = input.baseAddress, let weights = weights.baseAddress,
                            let output = output.baseAddress
                        else { return }
                        var block = apus_depthwise_block(
                            window: window.window, input: input + channel,
                            channel_count: min(channels, window.channels - channel), weights: weights + channel,
                            tap_stride: window.channels,
                            bias: bias.map { $0 + channel }, addend: addend.map { $0 + channel },
                            addend_row_stride: rowStride, addend_pixel_stride: pixelStride,
                            activation: activation, first_row: row, last_row: min(row + rows, window.outputHeight),
                            output: output + channel, output_row_stride: rowStride, output_pixel_stride: pixelStride)
                        kernel.convolve(&block)
                    }
                }
            }
        }
    }

    @Test("Random windows, strides and channels", arguments: InstructionSet.available)
    func convolves(instructions: InstructionSet) throws {
        for seed in UInt64(0)..<500 {
            var generator = SplitMix64(seed: seed)
            let convolution = Convolution(RandomWindow(&generator), &generator)
            let found = try convolution.output(instructions, rowsPerBlock: .max / 2, channelsPerBlock: .max / 2)
            #expect(found == convolution.expected, "seed \(seed): \(convolution.window)")
        }
    }

    @Test("The kernels of the networks, every count of channels from 1 to 40", arguments: InstructionSet.available)
    func convolvesUsualKernels(instructions: InstructionSet) throws {
        for channels in Array(1...40) + [48, 70] {
            for (kernel, stride) in [(3, 1), (3, 2), (5, 1), (5, 2), (7, 1)] {
                for width in [1, 3, 4, 5, 7, 8, 11, 14, 16] {
                    var generator = SplitMix64(seed: UInt64(channels * 100 + width))
                    let window = RandomWindow(
                        channels: channels, width: width, kernel: kernel, stride: stride, &generator)
                    let convolution = Convolution(window, &generator)
                    let found = try convolution.output(
                        instructions, rowsPerBlock: 2, channelsPerBlock: .max / 2)
                    #expect(found == convolution.expected, "\(window)")
                }
            }
        }
    }

    @Test("Fractions have the same bits however the image is cut", arguments: InstructionSet.available)
    func keepsBits(instructions: InstructionSet) throws {
        for seed in UInt64(1000)..<1100 {
            var generator = SplitMix64(seed: seed)
            let whole = RandomWindow(&generator)
            let convolution = Convolution(whole, &generator, isFractional: true)
            let expected = try convolution.output(instructions, rowsPerBlock: .max / 2, channelsPerBlock: .max / 2)
            for (rows, channels) in [(1, 1), (2, 16), (3, 5)] {
                let found = try convolution.output(instructions, rowsPerBlock: rows, channelsPerBlock: channels)
                #expect(found == expected, "seed \(seed), \(rows) × \(channels): \(whole)")
            }
            #expect(isClose(expected, convolution.expected), "seed \(seed): \(whole)")
        }
    }
}
