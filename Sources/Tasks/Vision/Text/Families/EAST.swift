import Images
import Models

/// EAST: words as rotated rectangles, by a map of scores and five of geometry.
///
/// Sources: https://github.com/argman/EAST, and the sample `text_detection.cpp` of https://github.com/opencv/opencv for
/// the numbers of pixels
struct EAST: TextMapFamily {
    let name = "east"
    let title = "EAST"
    let source = "https://github.com/argman/EAST"
    let maps = TextMaps.rotatedBoxes

    func evidence(in signature: TaskSignature) -> String? {
        let maps = signature.outputs.map { $0.shape.map { Array($0.dropFirst()) } }
        guard signature.channelCount == 3, signature.outputs.allSatisfy({ $0.shape?.count == 4 }),
            let positions = RotatedTextMaps(maps, signature.layout), signature.outputs[positions.scores].endsInSigmoid,
            let scores = maps[positions.scores], let geometry = maps[positions.geometry]
        else { return nil }
        let spatial = signature.layout == .channelsFirst ? 1...2 : 0...1
        guard Array(scores[spatial]) == Array(geometry[spatial]) else { return nil }
        if let size = signature.inputSize {
            guard Array(scores[spatial]) == [size.height / 4, size.width / 4] else { return nil }
        }
        return "its map of scores and five of geometry, at a fourth of the picture's size"
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        var steps = Preprocessing()
        steps.resizing = signature.inputSize.map { .exact($0) } ?? .limited(.init(.longest, 2400))
        (steps.filter, steps.scale, steps.mean) = (.linear, 1, [123.68, 116.78, 103.94])
        return steps
    }
}
