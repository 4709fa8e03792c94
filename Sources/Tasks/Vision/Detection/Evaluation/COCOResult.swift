import Images
import Platform
import Predicting

/// An object that a network found, in COCO's form.
///
/// Source: https://cocodataset.org/#format-results
struct COCOResult: Sendable, Decodable {
    /// The picture: a number, or the name of a record where that is no number.
    enum Picture: Sendable, Equatable {
        case number(Int)
        case name(String)
    }

    let picture: Picture
    let category: Int
    let score: Double
    /// x, y, width and height in pixels.
    let box: [Double]?
    let segmentation: COCOShape?
    /// x, y and a number for each point.
    let keypoints: [Double]?

    private enum CodingKeys: String, CodingKey {
        case picture = "image_id", category = "category_id", score, box = "bbox", segmentation, keypoints
    }

    /// The result of an entry.
    ///
    /// - Parameters:
    ///   - size: The size of the picture.
    init(_ entry: COCOEntry, picture: Int, category: Int, in size: ImageSize) {
        (self.picture, self.category, score) = (.number(picture), category, Double(entry.score))
        box = entry.box.map { box in
            let box = box.pixels(in: size)
            return [box.x, box.y, box.width, box.height].map(Double.init)
        }
        segmentation = entry.mask.map { mask in
            .runs(mask.counts, height: mask.size.height, width: mask.size.width)
        }
        keypoints = entry.keypoints?.flatMap { point in
            [point.x * Float(size.width), point.y * Float(size.height), point.confidence ?? 1].map(Double.init)
        }
    }

    /// A box that was found.
    init(picture: Int, category: Int, score: Double, box: [Double]) {
        (self.picture, self.category, self.score, self.box) = (.number(picture), category, score, box)
        (segmentation, keypoints) = (nil, nil)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let number = try? container.decode(Int.self, forKey: .picture) {
            picture = .number(number)
        } else {
            picture = .name(try container.decode(String.self, forKey: .picture))
        }
        category = try container.decode(Int.self, forKey: .category)
        score = try container.decode(Double.self, forKey: .score)
        let box = try container.decodeIfPresent([Double].self, forKey: .box)
        self.box = box?.isEmpty == true ? nil : box
        segmentation = try container.decodeIfPresent(COCOShape.self, forKey: .segmentation)
        keypoints = try container.decodeIfPresent([Double].self, forKey: .keypoints)
    }
}

/// The results of a network on the pictures of a ground truth.
public struct COCOResults: Sendable {
    let results: [COCOResult]
    let path: String

    /// Reads a list of results, such as ``COCOSink`` writes.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming what is wrong.
    public init(contentsOf path: String) throws(ApusError) {
        results = try COCOFile.decode(path, as: [COCOResult].self)
        self.path = path
    }

    init(_ results: [COCOResult], path: String) { (self.results, self.path) = (results, path) }

    /// What the results consist of, as the first of them tells: masks or points where it has them, else boxes.
    public var kind: DetectionEvaluation.Kind {
        guard let first = results.first else { return .boxes }
        return first.keypoints != nil ? .keypoints : first.segmentation != nil ? .masks : .boxes
    }
}
