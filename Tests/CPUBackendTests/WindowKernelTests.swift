import CPUKernels
import Graphs
import Tensors
import Testing

@Suite("Kernels that slide a window, against a plain loop")
struct WindowKernelTests {
    private static let seeds = UInt64(0)..<400
    /// The value of elements that a kernel must not change.
    private static let untouched: Float = 12345

    /// Calls `body` for every random window and output row, with room for a row whose pixels lie two further apart.
    private func forEachRow(
        _ body: (_ window: inout RandomWindow, _ row: Int, _ output: inout [Float], _ pixelStride: Int) -> [Float?],
        _ seeds: Range<UInt64> = Self.seeds
    ) {
        for seed in seeds {
            var generator = SplitMix64(seed: seed)
            var window = RandomWindow(&generator)
            let stride = window.channels + 2
            for row in 0..<window.outputHeight {
                var output = [Float](repeating: Self.untouched, count: window.outputWidth * stride)
                let expected = body(&window, row, &output, stride).map { $0 ?? Self.untouched }
                #expect(isClose(output, expected), "seed \(seed), row \(row): \(window)")
            }
        }
    }

    /// A row whose elements `value` gives for a column and a channel; nil between pixels.
    private func row(
        _ window: RandomWindow, _ stride: Int, _ value: (_ column: Int, _ channel: Int) -> Float
    ) -> [Float?] {
        (0..<window.outputWidth).flatMap { column in
            (0..<stride).map { $0 < window.channels ? value(column, $0) : nil }
        }
    }

    @Test("Gathered patches hold the image's elements, and zeros outside")
    func gathersPatches() {
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            var window = RandomWindow(&generator)
            let pixels = window.outputHeight * window.outputWidth
            let first = Int.random(in: 0..<pixels, using: &generator)
            let count = Int.random(in: 1...pixels - first, using: &generator)
            let depth = window.tapCount * window.channels
            var tile = [Float](repeating: Self.untouched, count: count * depth + 1)
            apus_gather_patches(window.input, &window.window, window.channels, first, count, &tile)
            let expected = (first..<first + count).flatMap { pixel in
                let (y, x) = pixel.quotientAndRemainder(dividingBy: window.outputWidth)
                return (0..<window.tapCount).flatMap { tap in
                    (0..<window.channels).map { window.element(y, x, tap: tap, $0) ?? 0 }
                }
            }
            #expect(tile == expected + [Self.untouched], "seed \(seed): \(window)")
        }
    }

    @Test("Patches of planes hold the same elements in the order of the weights")
    func gathersPlanarPatches() {
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            let window = RandomWindow(&generator)
            var planar = window.window
            planar.input_pixel_stride = 1
            planar.input_row_stride = planar.input_width
            let plane = planar.input_height * planar.input_width + 3
            var planes = [Float](repeating: 0, count: window.channels * plane)
            for channel in 0..<window.channels {
                for y in 0..<planar.input_height {
                    for x in 0..<planar.input_width {
                        planes[channel * plane + y * planar.input_width + x] =
                            window.input[
                                y * window.window.input_row_stride + x * window.window.input_pixel_stride + channel]
                    }
                }
            }
            let pixels = window.outputHeight * window.outputWidth
            let first = Int.random(in: 0..<pixels, using: &generator)
            let count = Int.random(in: 1...pixels - first, using: &generator)
            var tile = [Float](repeating: Self.untouched, count: count * window.tapCount * window.channels + 1)
            apus_gather_planar_patches(planes, plane, &planar, window.channels, first, count, &tile)
            let expected = (first..<first + count).flatMap { pixel in
                let (y, x) = pixel.quotientAndRemainder(dividingBy: window.outputWidth)
                return (0..<window.channels).flatMap { channel in
                    (0..<window.tapCount).map { window.element(y, x, tap: $0, channel) ?? 0 }
                }
            }
            #expect(tile == expected + [Self.untouched], "seed \(seed): \(window)")
        }
    }

    @Test("Max pooling, −∞ where a window has no element")
    func poolsMaxima() {
        forEachRow { window, y, output, stride in
            apus_max_pool_row(window.input, &window.window, window.channels, y, &output, stride, 0)
            return row(window, stride) { x, channel in
                (0..<window.tapCount).compactMap { window.element(y, x, tap: $0, channel) }.max() ?? -.infinity
            }
        }
    }

    @Test("NaN wins over every number in its window, infinities included")
    func keepsNaN() {
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            var window = RandomWindow(&generator)
            let special: [Float] = [.nan, .infinity, -.infinity]
            let input = window.input.map { number in
                let choice = Int.random(in: 0..<30, using: &generator)
                return choice < special.count ? special[choice] : number
            }
            let stride = window.channels
            for y in 0..<window.outputHeight {
                var output = [Float](repeating: Self.untouched, count: window.outputWidth * stride)
                apus_max_pool_row(input, &window.window, window.channels, y, &output, stride, 0)
                let expected = row(window, stride) { x, channel in
                    let elements = (0..<window.tapCount).compactMap { tap in
                        window.index(y, x, tap: tap, channel).map { input[$0] }
                    }
                    return elements.contains(where: \.isNaN) ? .nan : elements.max() ?? -.infinity
                }
                #expect(isClose(output, expected.compactMap(\.self)), "seed \(seed), row \(y): \(window)")
            }
        }
    }

    @Test("Pools of numbers in bfloat16 are those of the same floats, rounded")
    func poolsBFloat16() {
        func rounded(_ numbers: [Float]) -> [UInt16] { numbers.map(apus_bfloat16_rounded) }
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            var window = RandomWindow(&generator)
            var numbers = rounded(window.input)
            if seed % 4 == 0 { numbers[Int.random(in: numbers.indices, using: &generator)] = BFloat16(.nan).bitPattern }
            let floats = numbers.map { BFloat16(bitPattern: $0).floatValue }
            let (channels, stride) = (window.channels, window.channels + 2)
            let count = window.outputWidth * stride
            for y in 0..<window.outputHeight {
                for isMaximum in [true, false] {
                    var expected = [Float](repeating: Self.untouched, count: count)
                    var output = rounded(expected)
                    if isMaximum {
                        apus_max_pool_row(floats, &window.window, channels, y, &expected, stride, 0)
                        apus_max_pool_row(numbers, &window.window, channels, y, &output, stride, 1)
                    } else {
                        let (bottom, right) = window.padding
                        apus_average_pool_row(
                            floats, &window.window, channels, 1, bottom, right, y, &expected, stride, 0)
                        apus_average_pool_row(
                            numbers, &window.window, channels, 1, bottom, right, y, &output, stride, 1)
                    }
                    let same = zip(output, rounded(expected)).allSatisfy { pair in
                        pair.0 == pair.1 || [pair.0, pair.1].allSatisfy { BFloat16(bitPattern: $0).floatValue.isNaN }
                    }
                    #expect(same, "seed \(seed), row \(y), maximum \(isMaximum): \(window)")
                }
            }
        }
    }

    @Test("Global averages of every count of channels")
    func averagesImages() {
        var generator = SplitMix64(seed: 3)
        for channels in Array(1...40) + [128] {
            let (height, width, pixelStride) = (5, 7, channels + channels % 3)
            let rowStride = width * pixelStride + 4
            let input = (0..<height * rowStride).map { _ in Float.random(in: -1...1, using: &generator) }
            var output = [Float](repeating: Self.untouched, count: channels + 1)
            apus_global_average_pool(input, height, width, rowStride, pixelStride, channels, &output, 0)
            let expected = (0..<channels).map { channel in
                let sum = (0..<height * width).reduce(0) {
                    $0 + Double(input[$1 / width * rowStride + $1 % width * pixelStride + channel])
                }
                return Float(sum / Double(height * width))
            }
            #expect(isClose(output, expected + [Self.untouched]), "\(channels) channels")
        }
    }

    @Test("Average pooling, with and without the padding counted; 0 where nothing is", arguments: [true, false])
    func poolsAverages(countsPadding: Bool) {
        forEachRow { window, y, output, stride in
            apus_average_pool_row(
                window.input, &window.window, window.channels, countsPadding ? 1 : 0, window.padding.bottom,
                window.padding.right, y, &output, stride, 0)
            return row(window, stride) { x, channel in
                let elements = (0..<window.tapCount).compactMap { window.element(y, x, tap: $0, channel) }
                let counted = (0..<window.tapCount).count { tap in
                    let position = window.position(y, x, tap: tap)
                    return position.row >= -window.window.padding_top
                        && position.row < window.window.input_height + window.padding.bottom
                        && position.column >= -window.window.padding_left
                        && position.column < window.window.input_width + window.padding.right
                }
                return elements.reduce(0, +) / Float(max(countsPadding ? counted : elements.count, 1))
            }
        }
    }
}
