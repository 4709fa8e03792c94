import Images
import Platform
import Predicting
import Preparation
import Tensors

/// The positions of the maps of EAST among outputs without the axis of the batch.
struct RotatedTextMaps {
    let scores, geometry: Int

    /// - Parameter shapes: The extents of the outputs, nil where they are not known.
    /// - Returns: Nil where there is no map of scores, or there are no five of geometry.
    init?(_ shapes: [[Int?]?], _ layout: Preprocessing.Layout) {
        func position(_ count: Int) -> Int? {
            shapes.firstIndex { shape in
                guard let shape, shape.count == 3 else { return false }
                return (layout == .channelsFirst ? shape[0] : shape[2]) == count
            }
        }
        guard shapes.count == 2, let scores = position(1), let geometry = position(5) else { return nil }
        (self.scores, self.geometry) = (scores, geometry)
    }
}

extension TextDetector {
    /// The least length of a word's edges in the picture.
    private static let minimumSide = 5.0

    /// The words in the maps of EAST.
    func rotatedText(in rows: [Tensor], to picture: PreparedPicture) throws -> RecognizedText {
        let layout = pictures.input.layout
        guard let positions = RotatedTextMaps(rows.map { $0.shape.map { $0 } }, layout) else {
            throw RecordError(
                stage: "predict", code: "shape",
                message: "the outputs are no map of scores and five of geometry, but \(rows.map(\.shape))")
        }
        let (scores, geometry) = (rows[positions.scores], rows[positions.geometry])
        let maps = Maps(try geometry.finiteElements(), shape: geometry.shape, layout)
        guard scores.elementCount == maps.width * maps.height, maps.width > 0 else {
            throw RecordError(
                stage: "predict", code: "shape",
                message: "the map of scores is \(scores.shape), and those of geometry are \(geometry.shape)")
        }
        let shares = try scores.finiteElements()
        try RecordError.checkConfidences(shares, "the map of scores")
        let area = maps.width * maps.height
        let planes = (0..<5).map { channel in
            (0..<area).map { cell in
                maps.numbers[channel * maps.strides.channel + cell * (layout == .channelsFirst ? 1 : maps.channels)]
            }
        }
        let size = picture.size ?? pictures.input.extent(of: picture.tensor)
        let input = pictures.input.extent(of: picture.tensor)
        let page = try TextPage(of: size)
        let words = RotatedTextDecoder().words(scores: shares, geometry: planes, width: maps.width)
        let found = words.compactMap { word -> RecognizedTextLine? in
            let corners = word.corners.map { corner in
                let (x, y) = picture.placement.original(
                    x: corner.x / Double(input.width), y: corner.y / Double(input.height))
                return PixelPoint(
                    x: min(max(x, 0), 1) * Double(size.width), y: min(max(y, 0), 1) * Double(size.height))
            }
            guard corners[0].distance(to: corners[1]) >= Self.minimumSide,
                corners[3].distance(to: corners[0]) >= Self.minimumSide
            else { return nil }
            return Quadrilateral(corners).map { box in
                RecognizedTextLine(
                    text: nil, confidence: min(max(word.score, 0), 1), box: box,
                    place: Quadrilateral(corners.map(page.place)))
            }
        }
        return RecognizedText(ReadingOrder.sorted(found, \.box), imageSize: picture.size)
    }
}
