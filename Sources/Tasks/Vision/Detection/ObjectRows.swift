import Images
import Preparation
import Tensors

/// An array of boxes: rows with edges (left, top, right, bottom), a confidence and the number of a class.
struct ObjectRows {
    private let values: [Float]
    private let extent, edges, confidence, label: Int
    private let unit: ImageSize

    /// - Parameters:
    ///   - values: The rows, `extent` numbers each.
    ///   - edges: The position of the first edge in a row.
    ///   - confidence: The position of the confidence.
    ///   - label: The position of the class.
    ///   - unit: What a box over the whole picture has as its right and bottom edge.
    init(_ values: [Float], extent: Int, edges: Int, confidence: Int, label: Int, unit: ImageSize) {
        self.values = values
        (self.extent, self.edges, self.confidence, self.label) = (extent, edges, confidence, label)
        self.unit = unit
    }

    /// The boxes whose confidence is at least `least`, among the first `count` rows. Rows with a class below 0 are
    /// none.
    ///
    /// - Throws: ``RecordError`` when confidences are none, or classes are not whole numbers.
    func candidates(
        above least: Float, count: Int = .max, _ decoder: any ObjectDecoder.Type
    ) throws(RecordError) -> [ObjectCandidate] {
        try candidates(above: least, count: count, decoder) { candidate, _ in candidate }
    }

    /// What `made` makes of the boxes whose confidence is at least `least`, and of the places where their rows begin.
    ///
    /// - Throws: ``RecordError`` when confidences are none, or classes are not whole numbers.
    func candidates<Candidate>(
        above least: Float, count: Int = .max, _ decoder: any ObjectDecoder.Type,
        _ made: (ObjectCandidate, Int) -> Candidate
    ) throws(RecordError) -> [Candidate] {
        let starts = stride(from: 0, to: values.count, by: extent).prefix(count).filter { values[$0 + label] >= 0 }
        try decoder.checkConfidences(starts.lazy.map { values[$0 + confidence] })
        var found: [Candidate] = []
        for start in starts where values[start + confidence] >= least && values[start + confidence] > 0 {
            let number = values[start + label]
            guard number < 1e6, number == number.rounded() else {
                throw decoder.mismatch("a class is \(number)")
            }
            let (width, height) = (Float(unit.width), Float(unit.height))
            let candidate = ObjectCandidate(
                left: values[start + edges] / width, top: values[start + edges + 1] / height,
                right: values[start + edges + 2] / width, bottom: values[start + edges + 3] / height,
                confidence: values[start + confidence], classIndex: Int(number))
            found.append(made(candidate, start))
        }
        return found
    }
}
