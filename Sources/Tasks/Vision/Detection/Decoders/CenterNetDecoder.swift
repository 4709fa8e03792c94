import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for CenterNet (objects as points).
///
/// Shapes: maps with a fourth of the input's extents, or with channels last: how likely a cell is the middle of an
/// object of each class `[1, classes, h, w]`, width and height in cells `[1, 2, h, w]`, and the offset of the middle, x
/// and y `[1, 2, h, w]`. Names that contain `wh` or `size`, and `reg` or `off`, tell the last two apart; without them
/// the order does. Of a map that has numbers outside 0 to 1, the sigmoid is taken.
///
/// A cell counts where none of its eight neighbors has more, and the 100 best of all classes are kept.
/// Source: `ctdet_decode` of https://github.com/xingyizhou/CenterNet (`src/lib/models/decode.py`,
/// `src/lib/detectors/base_detector.py`)
package struct CenterNetDecoder: ObjectDecoder {
    package static let name = DecoderName.centernet
    package static let summary = "maps [1, classes, h, w], [1, 2, h, w] and [1, 2, h, w] of middles, sizes, offsets"
    package static var customaryConfidence: Float? { 0.3 }
    package let isSuppressed = true

    private static let stride = 4
    private static let maximumCount = 100

    /// The positions of the outputs, by what they hold.
    private struct Roles {
        let middles, sizes, offsets: Int
        /// Whether names tell the roles.
        let areNamed: Bool

        init?(_ signature: DetectorSignature) {
            let outputs = signature.outputs
            guard outputs.count == 3 else { return nil }
            func extents(_ index: Int) -> (channels: Int?, height: Int?, width: Int?)? {
                guard let shape = outputs[index].shape, shape.count == 4 else { return nil }
                return signature.isChannelsLast ? (shape[3], shape[1], shape[2]) : (shape[1], shape[2], shape[3])
            }
            func position(_ parts: [String]) -> Int? {
                outputs.firstIndex { output in parts.contains { output.isCalled($0) } }
            }
            let named = (position(["hm", "heat"]), position(["wh", "size"]), position(["reg", "off"]))
            if let hm = named.0, let wh = named.1, let reg = named.2, Set([hm, wh, reg]).count == 3 {
                (middles, sizes, offsets, areNamed) = (hm, wh, reg, true)
            } else {
                let pairs = outputs.indices.filter { extents($0)?.channels == 2 }
                guard pairs.count == 2, let rest = outputs.indices.first(where: { !pairs.contains($0) }) else {
                    return nil
                }
                (middles, sizes, offsets, areNamed) = (rest, pairs[0], pairs[1], false)
            }
            guard let map = extents(middles), extents(sizes)?.channels == 2, extents(offsets)?.channels == 2 else {
                return nil
            }
            for other in [sizes, offsets].compactMap(extents) {
                guard map.height == other.height, map.width == other.width else { return nil }
            }
            if let size = signature.inputSize, let height = map.height, let width = map.width {
                // A declared extent may be so large that no product of it is a number.
                let rest = [size.width, size.height].map { $0 % CenterNetDecoder.stride }
                guard rest == [0, 0], size.height / CenterNetDecoder.stride == height,
                    size.width / CenterNetDecoder.stride == width
                else { return nil }
            }
        }
    }

    private let roles: Roles
    private let layout: Preprocessing.Layout

    package static func recognizes(_ signature: DetectorSignature) -> Bool { Roles(signature) != nil }
    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        Roles(signature)?.areNamed ?? false
    }
    package static func classCount(of signature: DetectorSignature) -> Int? {
        guard let roles = Roles(signature), let shape = signature.outputs[roles.middles].shape else { return nil }
        return signature.isChannelsLast ? shape[3] : shape[1]
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        var steps = Preprocessing.letterboxed(to: size, as: .mediapipe, color: .black, scale: 1 / 255, .bgr)
        steps.mean = [0.470, 0.447, 0.408]
        steps.standardDeviation = [0.278, 0.274, 0.289]
        return steps
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let roles = Roles(signature) else { throw Self.refusal(of: signature, "three outputs: \(Self.summary)") }
        self.roles = roles
        layout = signature.isChannelsLast ? .channelsLast : .channelsFirst
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        var maps: [Maps] = []
        for position in [roles.middles, roles.sizes, roles.offsets] {
            guard tensors.indices.contains(position), tensors[position].shape.count == 4,
                tensors[position].shape[0] == 1
            else { throw Self.mismatch("the outputs are \(tensors.map(\.shape))") }
            let shape = Array(tensors[position].shape.dropFirst())
            maps.append(Maps(try tensors[position].finiteElements(), shape: shape, layout))
        }
        let (rows, columns) = (maps[0].height, maps[0].width)
        guard maps[1].channels == 2, maps[2].channels == 2,
            maps.allSatisfy({ $0.height == rows && $0.width == columns })
        else { throw Self.mismatch("the maps are \(tensors.map(\.shape))") }
        // Integers of 8 bits reach a 64th beyond what they stand for.
        let areProbabilities = maps[0].numbers.allSatisfy { (-1 / 64...1 + 1 / 64).contains($0) }
        let scores = maps[0].numbers.map { areProbabilities ? min(max($0, 0), 1) : 1 / (1 + exp(-$0)) }
        func place(_ map: Maps, _ channel: Int, _ row: Int, _ column: Int) -> Int {
            channel * map.strides.channel + row * map.strides.row + column * map.strides.column
        }
        func isPeak(_ channel: Int, _ row: Int, _ column: Int, _ score: Float) -> Bool {
            for y in max(0, row - 1)...min(rows - 1, row + 1) {
                for x in max(0, column - 1)...min(columns - 1, column + 1)
                where scores[place(maps[0], channel, y, x)] > score { return false }
            }
            return true
        }
        let unit = SIMD2(Float(inputSize.width), Float(inputSize.height)) / Float(Self.stride)
        var found: [ObjectCandidate] = []
        for channel in 0..<maps[0].channels {
            for row in 0..<rows {
                for column in 0..<columns {
                    let score = scores[place(maps[0], channel, row, column)]
                    guard score >= confidence, isPeak(channel, row, column, score) else { continue }
                    func pair(_ map: Maps) -> SIMD2<Float> {
                        SIMD2(map.numbers[place(map, 0, row, column)], map.numbers[place(map, 1, row, column)])
                    }
                    let middle = (SIMD2(Float(column), Float(row)) + pair(maps[2])) / unit
                    let extent = pair(maps[1]) / unit
                    found.append(
                        ObjectCandidate(
                            centerX: middle.x, centerY: middle.y, width: extent.x, height: extent.y, confidence: score,
                            classIndex: channel, scores: []))
                }
            }
        }
        return Array(found.byFallingConfidence.prefix(Self.maximumCount))
    }
}
