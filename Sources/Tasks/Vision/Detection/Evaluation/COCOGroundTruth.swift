import Images
import Platform

/// Objects that people marked in pictures, in COCO's form: boxes, masks, and points.
///
/// Source: https://cocodataset.org/#format-data
public struct COCOGroundTruth: Sendable {
    /// A picture.
    public struct Picture: Sendable, Decodable {
        /// The number in `image_id`.
        public let id: Int
        /// The name of the file; nil when not given.
        public let fileName: String?
        let width: Int?
        let height: Int?

        private enum CodingKeys: String, CodingKey { case id, fileName = "file_name", width, height }

        /// The size in pixels; nil when not given.
        public var size: ImageSize? {
            guard let width, let height, width > 0, height > 0 else { return nil }
            return ImageSize(width: width, height: height)
        }
    }

    /// A class.
    public struct Category: Sendable, Decodable {
        /// The number in `category_id`.
        public let id: Int
        /// The name.
        public let name: String
    }

    /// A marked object.
    struct Annotation: Sendable, Decodable {
        let id: Int?
        let image: Int
        let category: Int
        let box: [Double]?
        let area: Double?
        let crowd: Int?
        let segmentation: COCOShape?
        let keypoints: [Double]?
        let keypointCount: Int?

        private enum CodingKeys: String, CodingKey {
            case id, image = "image_id", category = "category_id", box = "bbox", area, crowd = "iscrowd"
            case segmentation, keypoints, keypointCount = "num_keypoints"
        }
    }

    /// The pictures, by rising id.
    public let pictures: [Picture]
    /// The classes, by rising id.
    public let categories: [Category]
    let annotations: [Annotation]
    let path: String

    private struct Content: Decodable {
        let images: [Picture]
        let categories: [Category]
        let annotations: [Annotation]
    }

    /// Reads a file such as `instances_val2017.json`.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming what is wrong.
    public init(contentsOf path: String) throws(ApusError) {
        let content = try COCOFile.decode(path, as: Content.self)
        (pictures, categories) = (content.images.sorted { $0.id < $1.id }, content.categories.sorted { $0.id < $1.id })
        (annotations, self.path) = (content.annotations, path)
        guard zip(pictures, pictures.dropFirst()).allSatisfy({ $0.id != $1.id }) else {
            throw .file(path: path, message: "has two images of one id")
        }
        guard zip(categories, categories.dropFirst()).allSatisfy({ $0.id != $1.id }) else {
            throw .file(path: path, message: "has two categories of one id")
        }
    }

    init(
        pictures: [Picture], categories: [Category], annotations: [Annotation], path: String
    ) {
        (self.pictures, self.categories, self.annotations, self.path) = (pictures, categories, annotations, path)
    }

    /// The ground truth of some of the pictures.
    func restricted(to ids: Set<Int>) -> COCOGroundTruth {
        COCOGroundTruth(
            pictures: pictures.filter { ids.contains($0.id) }, categories: categories,
            annotations: annotations.filter { ids.contains($0.image) }, path: path)
    }
}
