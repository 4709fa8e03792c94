import Datasets
import Images
import Platform
import Vision

extension ObjectDetector {
    /// Predicts every picture of a dataset that a ground truth has, and compares the objects.
    ///
    /// A picture belongs to the record with its `file_name`, with or without folders, or with its number for a name. A
    /// class is the category of its name; without names, the number that ``COCOSink`` writes. COCO's figures want all
    /// objects, also those of little confidence: make the detector with a `minimumConfidence` of 0.001 or so.
    ///
    /// - Parameters:
    ///   - progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when no picture is in the ground truth; otherwise the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, against truth: COCOGroundTruth, options: Evaluation.Options = Evaluation.Options(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DetectionEvaluation {
        let names = COCOPictureNames(truth)
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in names.id(record.id) }
        let categories = CategoryNumbers(self, truth)
        var (results, seen, done, failed) = ([COCOResult](), [Int: ImageSource](), 0, 0)
        for try await record in BatchRunner(self, options: .init(batch: options.batch)).predictions(over: marked) {
            let (id, source) = try marked.takeFirst()
            guard seen.updateValue(source, forKey: id) == nil else {
                throw ApusError.usage("\(record.id.printable): a second picture for image \(id) of \(truth.path)")
            }
            done += 1
            switch record.detection {
            case .failure: failed += 1
            case .success(let detection):
                guard let size = detection.imageSize else {
                    throw ApusError.usage("\(record.id.printable): is an array; boxes in pixels need a picture")
                }
                results += detection.objects.map { object in
                    let box = object.box.pixels(in: size)
                    return COCOResult(
                        picture: .number(id), category: categories.number(of: object), score: Double(object.confidence),
                        box: [box.x, box.y, box.width, box.height].map(Double.init))
                }
            }
            progress(RunProgress(total: nil, succeeded: done - failed, failed: failed, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage(
                "\(truth.path): has none of the pictures; its file names and the pictures' must agree")
        }
        var evaluation = try DetectionEvaluation(
            of: COCOResults(results, path: session.model.name), against: truth.restricted(to: Set(seen.keys)),
            worstPictures: options.mistakeCount)
        (evaluation.failedCount, evaluation.unmarkedCount) = (failed, marked.unmarkedCount)
        evaluation.absentCount = truth.pictures.count - done
        guard options.keepsThumbnails else { return evaluation }
        let classes = Dictionary(uniqueKeysWithValues: truth.categories.map { ($0.id, $0.name) })
        for picture in evaluation.worstPictures {
            guard let source = seen[picture.picture] else { continue }
            let objects = results.filter { $0.picture == .number(picture.picture) && $0.score >= 0.5 }
            evaluation.thumbnails[picture.picture] = try await pictures.thumbnail(of: source, side: 240) { image in
                try image.drawing(objects.map { RecognizedObject($0, in: image.size, name: classes[$0.category]) })
            }
        }
        return evaluation
    }
}

extension RecognizedObject {
    /// The object of a result, for drawing.
    fileprivate init(_ result: COCOResult, in size: ImageSize, name: String?) {
        let (width, height) = (Float(size.width), Float(size.height))
        let box = (result.box ?? [0, 0, 0, 0]).map(Float.init)
        self.init(
            confidence: Float(result.score),
            box: NormalizedBox(x: box[0] / width, y: box[1] / height, width: box[2] / width, height: box[3] / height),
            labels: [ClassificationObservation(index: result.category, label: name, confidence: Float(result.score))])
    }
}

/// The numbers of a detector's classes in a ground truth.
private struct CategoryNumbers {
    private let numbers: [Int]?
    private let names: [String: Int]

    init(_ detector: ObjectDetector, _ truth: COCOGroundTruth) {
        numbers = detector.categoryIDs ?? COCOSink.customaryCategoryIDs(classCount: detector.labels?.count)
        names = Dictionary(
            truth.categories.map { ($0.name.lowercased(), $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    func number(of object: RecognizedObject) -> Int {
        if let name = object.label, let id = names[name.lowercased()] { return id }
        let index = object.labels.first?.index ?? 0
        return numbers.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? index
    }
}
