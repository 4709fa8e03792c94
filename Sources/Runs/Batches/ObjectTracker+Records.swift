import Vision

extension ObjectTracker {
    /// Numbers the objects of records, which are consecutive frames. Records without an answer are passed over.
    package mutating func follow(_ records: inout [PredictionRecord]) {
        for index in records.indices {
            guard case .success(.objects(var detection)) = records[index].answer else { continue }
            detection.objects = update(detection.objects)
            records[index].answer = .success(.objects(detection))
        }
    }
}
