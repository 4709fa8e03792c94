import CPUKernels
import Graphs
import Testing

@Suite("Patches found by address, against a plain loop")
struct PatchTests {
    private static let seeds = UInt64(0)..<300

    @Test("The addresses of every tap hold its channels, and zeros outside the image")
    func findsTaps() {
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            let window = RandomWindow(&generator)
            var patches = apus_patches(
                window: window.window, image_stride: 0,
                image_pixel_count: window.outputHeight * window.outputWidth, order: APUS_PATCH_TAPS)
            let tileRows = Int.random(in: 1...14, using: &generator)
            let first = Int.random(in: 0..<patches.image_pixel_count, using: &generator)
            let count = Int.random(in: 1...patches.image_pixel_count - first, using: &generator)
            let zeros = [Float](repeating: 0, count: window.channels)
            let found: [Float] = window.input.withUnsafeBufferPointer { input in
                zeros.withUnsafeBufferPointer { zeros in
                    guard let input = input.baseAddress, let zeros = zeros.baseAddress else { return [] }
                    var addresses = [UnsafePointer<Float>](repeating: zeros, count: count * window.tapCount)
                    apus_find_patches(&patches, input, zeros, first, count, tileRows, &addresses)
                    return addresses.flatMap { Array(UnsafeBufferPointer(start: $0, count: window.channels)) }
                }
            }
            let tiles = apus_gemm_tile_count(count, tileRows)
            let expected = (0..<tiles).flatMap { tile in
                let pixels =
                    apus_gemm_tile_start(count, tiles, tile)..<apus_gemm_tile_start(count, tiles, tile + 1)
                return (0..<window.tapCount).flatMap { tap in
                    pixels.flatMap { pixel in
                        let (y, x) = (first + pixel).quotientAndRemainder(dividingBy: window.outputWidth)
                        return (0..<window.channels).map { window.element(y, x, tap: tap, $0) ?? 0 }
                    }
                }
            }
            #expect(found == expected, "seed \(seed): \(window)")
        }
    }

    @Test("Interleaved rows hold planes or pixels with their padding")
    func interleavesRows() {
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            let channels = Int.random(in: 1...4, using: &generator)
            let (height, width) = (Int.random(in: 1...9, using: &generator), Int.random(in: 1...40, using: &generator))
            let isPlanar = Bool.random(using: &generator)
            let input = (0..<channels * height * width).map { _ in Float.random(in: -1...1, using: &generator) }
            let left = Int.random(in: 0...3, using: &generator)
            let rowWidth = left + width + Int.random(in: -width...3, using: &generator)
            let first = Int.random(in: -3...height, using: &generator)
            let rowCount = Int.random(in: 1...6, using: &generator)
            var window = apus_window()
            (window.input_height, window.input_width, window.padding_left) = (height, width, left)
            window.input_pixel_stride = isPlanar ? 1 : channels
            window.input_row_stride = width * window.input_pixel_stride
            let channelStride = isPlanar ? height * width : 1
            let pixelLength = channels + Int.random(in: 0...1, using: &generator)
            var rows = [Float](repeating: .nan, count: rowCount * rowWidth * pixelLength)
            apus_interleave_rows(input, &window, channels, channelStride, first, rowCount, rowWidth, pixelLength, &rows)
            let expected = (0..<rowCount).flatMap { row in
                (0..<rowWidth).flatMap { x in
                    (0..<pixelLength).map { channel -> Float in
                        let (y, x) = (first + row, x - left)
                        guard channel < channels, (0..<height).contains(y), (0..<width).contains(x) else { return 0 }
                        return input[
                            channel * channelStride + y * window.input_row_stride + x * window.input_pixel_stride]
                    }
                }
            }
            #expect(rows == expected, "seed \(seed)")
        }
    }

    @Test("Joined pixels hold the channels of two by two")
    func joinsPixels() {
        for channels in 1...5 {
            for width in [2, 6, 38] {
                var generator = SplitMix64(seed: UInt64(channels))
                let rows = (0..<2 * width * channels).map { _ in Float.random(in: -1...1, using: &generator) }
                var joined = [Float](repeating: .nan, count: rows.count)
                apus_join_pixels(rows, width, channels, &joined)
                let expected = (0..<width / 2).flatMap { x in
                    (0..<2).flatMap { row in
                        (0..<2 * channels).map { rows[(row * width + 2 * x) * channels + $0] }
                    }
                }
                #expect(joined == expected, "\(channels) channels, \(width) pixels")
            }
        }
    }
}
