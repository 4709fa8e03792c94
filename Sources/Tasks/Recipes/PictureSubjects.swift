import Images
import Platform
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
        switch answer {
        case .text(let text):
            let page = try? TextPage(of: picture.size)
            image = (try? page?.image(of: picture)) ?? picture
            subjects = text.lines.map { Region.Subject(corners: $0.place) }
        case .objects(let detection):
            image = picture
            subjects = detection.objects.map { Region.Subject($0, in: picture.size) }
        default:
            image = picture
            subjects = []
        }
    }

    /// A part of the picture.
    ///
    /// - Throws: ``RecordError`` for a part without area; ``ImageError``.
    func crop(_ index: Int, _ region: Region) throws -> RegionCrop {
        guard let cut = region.cut(around: subjects[index], in: image.size) else {
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

extension Region.Subject {
    fileprivate init(_ object: RecognizedObject, in size: ImageSize) {
        let box = object.box.pixels(in: size)
        let (left, top) = (Double(box.x), Double(box.y))
        let (right, bottom) = (left + Double(box.width), top + Double(box.height))
        let upright = Quadrilateral(
            topLeft: PixelPoint(x: left, y: top), topRight: PixelPoint(x: right, y: top),
            bottomRight: PixelPoint(x: right, y: bottom), bottomLeft: PixelPoint(x: left, y: bottom))
        func pixel(_ point: SIMD2<Float>) -> PixelPoint {
            PixelPoint(x: Double(point.x) * Double(size.width), y: Double(point.y) * Double(size.height))
        }
        self.init(corners: Quadrilateral(object.corners.map(pixel)) ?? upright, points: object.points.map(pixel))
    }
}
