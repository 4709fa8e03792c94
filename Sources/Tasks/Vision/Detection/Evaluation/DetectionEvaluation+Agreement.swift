import Platform

extension DetectionEvaluation {
    /// How well found objects agree with those that the same network found otherwise, such as in another precision: the
    /// mean average precision with these as the marked objects.
    ///
    /// - Parameters:
    ///   - found: The objects of each picture.
    ///   - reference: The objects that count as marked, of as many pictures.
    /// - Returns: From 0 to 1; nil where the reference has no object.
    package static func agreement(
        of found: [[ObjectCandidate]], with reference: [[ObjectCandidate]]
    ) throws(ApusError) -> Double? {
        let pictures = reference.indices.map { COCOGroundTruth.Picture(id: $0, fileName: nil, width: nil, height: nil) }
        let classes = Set(reference.joined().map(\.classIndex)).sorted()
        let annotations = reference.enumerated().flatMap { picture, objects in
            objects.map { object in
                COCOGroundTruth.Annotation(
                    id: nil, image: picture, category: object.classIndex, box: object.cocoBox,
                    area: object.cocoBox[2] * object.cocoBox[3], crowd: nil, segmentation: nil, keypoints: nil,
                    keypointCount: nil)
            }
        }
        let truth = COCOGroundTruth(
            pictures: pictures, categories: classes.map { COCOGroundTruth.Category(id: $0, name: "\($0)") },
            annotations: annotations, path: "the reference")
        let results = found.enumerated().flatMap { picture, objects in
            objects.map { object in
                COCOResult(
                    picture: picture, category: object.classIndex, score: Double(object.confidence),
                    box: object.cocoBox)
            }
        }
        return try DetectionEvaluation(
            of: COCOResults(results, path: "the results"), against: truth, kind: .boxes, worstPictures: 0
        ).averagePrecision
    }
}

extension ObjectCandidate {
    /// x, y, width and height in thousandths of the input.
    fileprivate var cocoBox: [Double] { [left, top, right - left, bottom - top].map { 1000 * Double($0) } }
}
