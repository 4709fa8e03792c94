import CPUBackend
import CPUKernels
import Graphs
import Testing

@Suite("Winograd convolutions, against float64", .serialized)
struct WinogradKernelTests {
    private static let seeds = UInt64(0)..<60
    /// The value of elements that a kernel must not change.
    private static let untouched: Float = 12345

    /// The kinds, with the maximum relative error, in the norm, of their transforms.
    private static let kinds: [(kind: apus_winograd_kind, bound: Double)] = [
        (APUS_WINOGRAD_2X2_3X3, 1e-6), (APUS_WINOGRAD_4X4_3X3, 3e-6), (APUS_WINOGRAD_2X2_5X5, 3e-6),
        (APUS_WINOGRAD_3X3_4X4, 3e-6), (APUS_WINOGRAD_1X4_1X3, 1.5e-6), (APUS_WINOGRAD_1X2_1X7, 3e-6),
        (APUS_WINOGRAD_5X5_3X3_STRIDE_2, 3e-6),
    ]

    private static let instructionSets: [(name: String, value: apus_instructions)] = [
        ("baseline", APUS_INSTRUCTIONS_BASELINE), ("AVX2", APUS_INSTRUCTIONS_AVX2),
        ("AVX-512", APUS_INSTRUCTIONS_AVX512), ("NEON", APUS_INSTRUCTIONS_NEON),
    ].filter { apus_processor_supports($0.value) != 0 }

    /// Calls `body` for every instruction set and kind, with weights transformed in advance and while running.
    private func forEachKernel(
        _ body: (_ kernel: apus_winograd_kernel, _ case: RandomWinograd, _ bound: Double, _ description: String) -> Void
    ) {
        for (name, instructions) in Self.instructionSets {
            for (kind, bound) in Self.kinds {
                guard let kernel = apus_winograd_kernel_for(instructions, kind) else { continue }
                for seed in Self.seeds {
                    var generator = SplitMix64(seed: seed)
                    let random = RandomWinograd(kind, transformsWeights: seed % 2 == 0, &generator)
                    body(kernel.pointee, random, bound, "\(name), kind \(kind.rawValue), seed \(seed): \(random)")
                }
            }
        }
    }

    /// The division of a case: runs, and in them pieces of tiles and of channels; panels one by one, or all at once.
    private struct Pieces {
        let tilesPerRun: Int
        let tilesPerPiece: Int
        let channelsPerPiece: Int
        let panelByPanel: Bool
    }

    private func output(_ random: RandomWinograd, _ kernel: apus_winograd_kernel, _ pieces: Pieces) -> [Float] {
        var (layer, kernel) = (random.layer, kernel)
        let (channels, features, fly) = (layer.input_channels, layer.output_channels, layer.transforms_weights)
        let panels = (features + kernel.panel_columns - 1) / kernel.panel_columns
        let packed = Floats(apus_winograd_packed_count(random.kind, &kernel, channels, features, fly))
        apus_winograd_pack(random.kind, &kernel, random.weights, channels, features, fly, packed.start)
        let (input, zeros) = (Floats(random.input), Floats([Float](repeating: 0, count: channels)))
        let bias = Floats(
            random.bias + [Float](repeating: 0, count: panels * kernel.panel_columns - features))
        let addend = random.addend.map { Floats($0) }
        let transformed = Floats(apus_winograd_transformed_count(random.kind, channels, pieces.tilesPerRun))
        let scratch = Floats(apus_winograd_scratch_count(random.kind, &kernel, pieces.tilesPerPiece, fly))
        let output = Floats([Float](repeating: Self.untouched, count: random.outputCount))
        for first in stride(from: 0, to: random.tileCount, by: pieces.tilesPerRun) {
            let count = min(pieces.tilesPerRun, random.tileCount - first)
            var run = apus_winograd_run(
                input: input.start, zeros: zeros.start, weights: packed.start, bias: bias.start,
                addend: addend.map { UnsafePointer($0.start) }, output: output.start, transformed: transformed.start,
                first_tile: first, tile_count: count)
            for channel in stride(from: 0, to: channels, by: pieces.channelsPerPiece) {
                for tile in stride(from: 0, to: count, by: pieces.tilesPerPiece) {
                    kernel.transform(
                        &layer, &run, tile, min(pieces.tilesPerPiece, count - tile), channel,
                        min(channels, channel + pieces.channelsPerPiece))
                }
            }
            for panel in stride(from: 0, to: panels, by: pieces.panelByPanel ? 1 : panels) {
                for tile in stride(from: 0, to: count, by: pieces.tilesPerPiece) {
                    kernel.multiply(
                        &layer, &run, tile, min(pieces.tilesPerPiece, count - tile), panel,
                        pieces.panelByPanel ? panel + 1 : panels, scratch.start)
                }
            }
        }
        return Array(UnsafeBufferPointer(start: output.start, count: random.outputCount))
    }

    @Test("The error is within bounds, and nothing is written between pixels")
    func convolves() {
        forEachKernel { kernel, random, bound, description in
            let pieces = Pieces(
                tilesPerRun: random.tileCount, tilesPerPiece: random.tileCount,
                channelsPerPiece: random.layer.input_channels, panelByPanel: false)
            var output = output(random, kernel, pieces)
            var (error, magnitude) = (0.0, 0.0)
            for image in 0..<random.images {
                for y in 0..<random.layer.output_height {
                    for x in 0..<random.layer.output_width {
                        for feature in 0..<random.layer.output_channels {
                            let position = random.outputPosition(image, y, x, feature)
                            let expected = random.expected(image, y, x, feature)
                            let difference = Double(output[position]) - expected.value
                            error += difference * difference
                            magnitude += expected.magnitude * expected.magnitude
                            output[position] = Self.untouched
                        }
                    }
                }
            }
            #expect(error.squareRoot() <= bound * magnitude.squareRoot(), "\(description)")
            #expect(output.allSatisfy { $0 == Self.untouched }, "\(description)")
        }
    }

    @Test("The bits do not depend on how the work is cut")
    func cutsWithoutChangingBits() {
        forEachKernel { kernel, random, _, description in
            let whole = Pieces(
                tilesPerRun: random.tileCount, tilesPerPiece: random.tileCount,
                channelsPerPiece: random.layer.input_channels, panelByPanel: false)
            let expected = output(random, kernel, whole).map(\.bitPattern)
            for tiles in [1, 2, 5, 16] {
                let pieces = Pieces(
                    tilesPerRun: 3 * tiles, tilesPerPiece: tiles, channelsPerPiece: 16, panelByPanel: true)
                #expect(output(random, kernel, pieces).map(\.bitPattern) == expected, "\(description), \(pieces)")
            }
        }
    }

    @Test("NaN stays NaN through every activation")
    func keepsNaN() {
        for (name, instructions) in Self.instructionSets {
            guard let kernel = apus_winograd_kernel_for(instructions, APUS_WINOGRAD_4X4_3X3) else { continue }
            for seed in Self.seeds {
                var generator = SplitMix64(seed: seed)
                var random = RandomWinograd(APUS_WINOGRAD_4X4_3X3, transformsWeights: seed % 2 == 0, &generator)
                random.bias[0] = .nan
                let pieces = Pieces(
                    tilesPerRun: random.tileCount, tilesPerPiece: random.tileCount,
                    channelsPerPiece: random.layer.input_channels, panelByPanel: false)
                let output = output(random, kernel.pointee, pieces)
                #expect(output[random.outputPosition(0, 0, 0, 0)].isNaN, "\(name), seed \(seed): \(random)")
            }
        }
    }
}

/// Floats on a 64-byte boundary.
private final class Floats {
    let start: UnsafeMutablePointer<Float>

    /// Elements that are NaN until they are written.
    convenience init(_ count: Int) { self.init([Float](repeating: .nan, count: count)) }

    init(_ values: [Float]) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, values.count) * MemoryLayout<Float>.stride, alignment: 64)
        start = memory.bindMemory(to: Float.self, capacity: values.count)
        start.initialize(from: values, count: values.count)
    }

    deinit { start.deallocate() }
}
