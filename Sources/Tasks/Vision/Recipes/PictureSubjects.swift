import Images
import Platform
import Predicting
import Preparation

/// What the first stage found in one picture, from which parts are cut out.
struct PictureSubjects: Sendable {
    /// What was found.
    let subjects: [Region.Subject]
    /// The picture in which the subjects lie: the page for lines of text.
    private let image: Image
    /// The size of that picture.
    var size: ImageSize { image.size }

    init(_ answer: ImageAnswer, in picture: Image) {
        (image, subjects) = (answer.base as? any PartitionedAnswer)?.subjects(in: picture) ?? (picture, [])
    }

    /// A part of the picture.
    ///
    /// - Parameter points: The points that another stage found in the part, around which the region lies; nil for what
    ///   the first stage found.
    /// - Throws: ``RecordError`` for a part without area; ``ImageError``.
    func crop(_ index: Int, _ region: Region, around points: [Keypoint]? = nil) throws -> RegionCrop {
        let subject = points.map { Region.Subject($0, in: image.size) } ?? subjects[index]
        guard let cut = region.cut(around: subject, in: image.size) else {
            let message = "number \(index + 1) of what was found has no region (\(region))"
            throw RecordError(stage: "predict", code: "region", message: message)
        }
        return try cut.crop(of: image, region.interpolation)
    }

    /// The number of pixels of a part.
    func pixelCount(_ index: Int, _ region: Region) -> Int {
        region.cut(around: subjects[index], in: image.size)?.size.pixelCount ?? 0
    }
}
