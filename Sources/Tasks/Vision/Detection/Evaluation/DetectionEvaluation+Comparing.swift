import Platform

extension DetectionEvaluation {
    /// The position among the limits, and among the ranges of areas, of most figures.
    private static let wholeArea = 0

    /// Compares results with a ground truth.
    ///
    /// The figures are those of COCO's own tool, pycocotools, within the rounding of sums.
    ///
    /// - Parameters:
    ///   - kind: What is compared; nil for what the results consist of.
    ///   - pictureCount: The maximum number of ``worstPictures``.
    /// - Throws: ``ApusError/file(path:message:)`` when a result is of a picture that the ground truth does not have,
    ///   or an object has no box, no mask or no points.
    public init(
        of results: COCOResults, against truth: COCOGroundTruth, kind: Kind? = nil, worstPictures pictureCount: Int = 24
    ) throws(ApusError) {
        let kind = kind ?? results.kind
        let rules = COCORules(kind)
        let objects = try ComparedObjects(results, truth, kind)
        var accumulations: [[[COCOAccumulation?]]] = []
        var mistakes = PictureMistakes(truth)
        for category in truth.categories.indices {
            let pictures = objects.matches(of: category, rules, &mistakes)
            accumulations.append(
                rules.areas.indices.map { area in
                    rules.limits.map { COCOAccumulation(pictures.map { $0[area] }, limit: $0) }
                })
        }
        self.kind = kind
        self.pictureCount = truth.pictures.count
        objectCount = objects.markedCounts.reduce(0, +)
        resultCount = objects.foundCounts.reduce(0, +)
        unknownClassCount = objects.unknownClassCount
        figures = Self.figures(accumulations, rules, kind)
        let last = rules.limits.count - 1
        classes = truth.categories.enumerated().map { position, category in
            let whole = accumulations[position][Self.wholeArea][last]
            return ClassResult(
                category: category.id, name: category.name, objectCount: objects.markedCounts[position],
                resultCount: objects.foundCounts[position],
                averagePrecision: whole.flatMap { Self.mean($0.precisions.flatMap { $0 }) },
                averagePrecision50: whole.flatMap { Self.mean($0.precisions[0]) },
                averageRecall: whole.flatMap { Self.mean($0.recalls) }, precisions: whole?.precisions[0] ?? [])
        }
        worstPictures = mistakes.worst(pictureCount)
    }

    /// COCO's figures.
    ///
    /// - Parameter all: By class, range of areas and limit.
    private static func figures(
        _ all: [[[COCOAccumulation?]]], _ rules: COCORules, _ kind: Kind
    ) -> [Figure] {
        let last = rules.limits.count - 1
        func precision(_ name: String, _ meaning: String, threshold: Int? = nil, area: Int = 0) -> Figure {
            let known = all.compactMap { $0[area][last] }
            let values = known.flatMap { one in threshold.map { one.precisions[$0] } ?? one.precisions.flatMap { $0 } }
            return Figure(name: name, meaning: "average precision\(meaning)", value: mean(values))
        }
        func recall(_ name: String, _ meaning: String, threshold: Int? = nil, area: Int = 0, limit: Int? = nil)
            -> Figure
        {
            let known = all.compactMap { $0[area][limit ?? last] }
            let values = known.flatMap { one in threshold.map { [one.recalls[$0]] } ?? one.recalls }
            return Figure(name: name, meaning: "average recall\(meaning)", value: mean(values))
        }
        let sizes = rules.areas.indices.dropFirst()
        func size(_ area: Int) -> String { rules.areas[area].name }
        var figures = [
            precision("AP", ""), precision("AP50", ", overlap of 0.5", threshold: 0),
            precision("AP75", ", overlap of 0.75", threshold: 5),
        ]
        figures += sizes.map { precision("AP\(size($0))", ", \(size($0)) objects", area: $0) }
        if kind == .keypoints {
            figures += [
                recall("AR", ""), recall("AR50", ", overlap of 0.5", threshold: 0),
                recall("AR75", ", overlap of 0.75", threshold: 5),
            ]
        } else {
            figures += rules.limits.indices.map {
                recall("AR\(rules.limits[$0])", ", \(rules.limits[$0]) results a picture", limit: $0)
            }
        }
        return figures + sizes.map { recall("AR\(size($0))", ", \(size($0)) objects", area: $0) }
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}
