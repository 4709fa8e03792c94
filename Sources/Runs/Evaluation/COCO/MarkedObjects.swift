import Datasets
import Images
import Platform
import Preparation
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
        try await DetectionEvaluation(of: self, on: dataset, against: truth, options: options, progress: progress)
    }
}

extension InstanceSegmenter {
    /// Predicts every picture of a dataset that a ground truth has, and compares the masks.
    ///
    /// The pictures, the classes and the errors are those of ``ObjectDetector/evaluate(_:against:options:progress:)``.
    public func evaluate(
        _ dataset: some Dataset, against truth: COCOGroundTruth, options: Evaluation.Options = Evaluation.Options(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DetectionEvaluation {
        try await DetectionEvaluation(of: self, on: dataset, against: truth, options: options, progress: progress)
    }
}

extension PoseEstimator {
    /// Predicts every picture of a dataset that a ground truth has, and compares the 17 points of COCO's people.
    ///
    /// The pictures, the classes and the errors are those of ``ObjectDetector/evaluate(_:against:options:progress:)``.
    public func evaluate(
        _ dataset: some Dataset, against truth: COCOGroundTruth, options: Evaluation.Options = Evaluation.Options(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DetectionEvaluation {
        try await DetectionEvaluation(of: self, on: dataset, against: truth, options: options, progress: progress)
    }
}

extension DetectionEvaluation {
    /// What is compared of answers of a kind; nil where they have none of it.
    package static func kind(of content: ImageAnswer.Content) -> Kind? {
        switch content {
        case .objects: .boxes
        case .instances: .masks
        case .poses: .keypoints
        default: nil
        }
    }

    /// Predicts every picture of a dataset that a ground truth has, and compares what was found.
    ///
    /// - Parameter kind: What is compared; nil for what the predictor's answers have.
    package init(
        of predictor: some PicturePredictor, on dataset: some Dataset, against truth: COCOGroundTruth,
        kind: Kind? = nil, options: Evaluation.Options = Evaluation.Options(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws {
        let names = COCOPictureNames(truth)
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in names.id(record.id) }
        let categories = CategoryNumbers(predictor, truth)
        var (results, seen, done, failed) = ([COCOResult](), [Int: ImageSource](), 0, 0)
        for try await record in BatchRunner(predictor: predictor, options: .init(batch: options.batch))
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
                results += answer.row.cocoEntries.map { entry in
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
            let answer = try await predictor.answer(to: source).imageAnswer.confident
            thumbnails[picture.picture] = try await predictor.pictures.thumbnail(of: source, side: 240) { image in
                try image.drawing(answer) ?? image
            }
        }
    }
}

extension ImageAnswer {
    /// The answer with what has a confidence of at least 0.5, for drawing.
    fileprivate var confident: ImageAnswer {
        let least: Float = 0.5
        switch self {
        case .objects(let detection):
            let objects = detection.objects.filter { $0.confidence >= least }
            return .objects(ObjectDetection(objects, imageSize: detection.imageSize))
        case .instances(let segmentation):
            let instances = segmentation.instances.filter { $0.confidence >= least }
            return .instances(InstanceSegmentation(instances, imageSize: segmentation.imageSize))
        case .poses(let estimation):
            let poses = estimation.poses.filter { $0.confidence >= least }
            return .poses(PoseEstimation(poses, imageSize: estimation.imageSize, skeleton: estimation.skeleton))
        default: return self
        }
    }
}

/// The numbers of a predictor's classes in a ground truth.
private struct CategoryNumbers {
    private let numbers: [Int]?
    private let names: [String: Int]

    init(_ predictor: some PicturePredictor, _ truth: COCOGroundTruth) {
        numbers = predictor.categoryIDs ?? COCOSink.customaryCategoryIDs(classCount: predictor.labels?.count)
        names = Dictionary(
            truth.categories.map { ($0.name.lowercased(), $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    func number(of entry: COCOEntry) -> Int {
        if let name = entry.className, let id = names[name.lowercased()] { return id }
        return entry.category(numbers)
    }
}
