import Datasets
import Images
import Platform
import Predicting
import Preparation

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
        _ dataset: some Dataset, against truth: COCOGroundTruth, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DetectionEvaluation {
        try await DetectionEvaluation(of: self, on: dataset, against: truth, options: options, progress: progress)
    }
}

extension DetectionEvaluation {
    /// What is compared of answers of a kind; nil where they have none of it.
    package static func kind(of content: ImageAnswer.Content) -> Kind? {
        (content.type as? any ComparedAnswer.Type)?.comparedKind
    }

    /// The least confidence of objects that thumbnails show.
    private static let leastDrawnConfidence: Float = 0.5

    /// Predicts every picture of a dataset that a ground truth has, and compares what was found.
    ///
    /// - Parameter kind: What is compared; nil for what the predictor's answers have.
    package init(
        of predictor: some TaskPredictor, on dataset: some Dataset, against truth: COCOGroundTruth,
        kind: Kind? = nil, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws {
        let names = COCOPictureNames(truth)
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in names.id(record.id) }
        let categories = CategoryNumbers(predictor, truth)
        var (results, seen, done, failed) = ([COCOResult](), [Int: ImageSource](), 0, 0)
        for try await record in BatchRunner(AnyPredictor(predictor), options: .init(batch: options.batch))
            .predictions(over: marked)
        {
            let (id, source) = try marked.takeFirst()
            guard seen.updateValue(source, forKey: id) == nil else {
                throw ApusError.usage("\(record.id.printable): a second picture for image \(id) of \(truth.path)")
            }
            done += 1
            switch record.answer {
            case .failure: failed += 1
            case .success(let answer):
                guard let size = answer.imageSize else {
                    throw ApusError.usage("\(record.id.printable): is an array; places in pixels need a picture")
                }
                results += answer.base.cocoEntries.map { entry in
                    COCOResult(entry, picture: id, category: categories.number(of: entry), in: size)
                }
            }
            progress(RunProgress(total: nil, succeeded: done - failed, failed: failed, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage(
                "\(truth.path): has none of the pictures; its file names and the pictures' must agree")
        }
        try self.init(
            of: COCOResults(results, path: predictor.session.model.name), against: truth.restricted(to: Set(seen.keys)),
            kind: kind ?? Self.kind(of: predictor.content), worstPictures: options.mistakeCount)
        (failedCount, unmarkedCount, absentCount) = (failed, marked.unmarkedCount, truth.pictures.count - done)
        guard options.keepsThumbnails else { return }
        for picture in worstPictures {
            guard let source = seen[picture.picture] else { continue }
            let answer = try await AnyPredictor(predictor).predict(source).base as? any ComparedAnswer
            thumbnails[picture.picture] = try await predictor.pictures.thumbnail(of: source, side: 240) { image in
                try answer?.confident(Self.leastDrawnConfidence).drawing(on: image) ?? image
            }
        }
    }
}

/// An answer whose objects are compared with those of a ground truth.
protocol ComparedAnswer: TaskAnswer {
    /// What is compared of them.
    static var comparedKind: DetectionEvaluation.Kind { get }

    /// The answer with what has at least a confidence.
    func confident(_ least: Float) -> Self
}

extension ObjectDetection: ComparedAnswer {
    static let comparedKind = DetectionEvaluation.Kind.boxes

    func confident(_ least: Float) -> ObjectDetection {
        ObjectDetection(objects.filter { $0.confidence >= least }, imageSize: imageSize)
    }
}

/// The numbers of a predictor's classes in a ground truth.
private struct CategoryNumbers {
    private let numbers: [Int]?
    private let names: [String: Int]

    init(_ predictor: some TaskPredictor, _ truth: COCOGroundTruth) {
        numbers = predictor.categoryIDs ?? COCOEntry.customaryCategoryIDs(classCount: predictor.labels?.count)
        names = Dictionary(
            truth.categories.map { ($0.name.lowercased(), $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    func number(of entry: COCOEntry) -> Int {
        if let name = entry.className, let id = names[name.lowercased()] { return id }
        return entry.category(numbers)
    }
}
