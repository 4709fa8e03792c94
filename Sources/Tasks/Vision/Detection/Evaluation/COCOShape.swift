import Images
import Predicting

/// The outline of an object in COCO's JSON.
enum COCOShape: Decodable, Sendable {
    /// The corners of polygons, x₀, y₀, x₁, y₁, ….
    case polygons([[Double]])
    /// Runs of a mask.
    case runs([Int], height: Int, width: Int)
    /// Runs of a mask as text.
    case compressed(String, height: Int, width: Int)

    private enum Key: String, CodingKey { case size, counts }

    init(from decoder: any Decoder) throws {
        if let polygons = try? [[Double]](from: decoder) {
            self = .polygons(polygons)
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        let size = try container.decode([Int].self, forKey: .size)
        guard size.count == 2 else {
            throw DecodingError.dataCorruptedError(
                forKey: .size, in: container, debugDescription: "a size is a height and a width")
        }
        if let text = try? container.decode(String.self, forKey: .counts) {
            self = .compressed(text, height: size[0], width: size[1])
        } else {
            self = .runs(try container.decode([Int].self, forKey: .counts), height: size[0], width: size[1])
        }
    }

    /// The pixels of the shape in a picture.
    ///
    /// - Parameter size: The size of the picture; nil when not known.
    func mask(in size: ImageSize?) throws(MaskError) -> RunLengths {
        switch self {
        case .runs(let counts, let height, let width):
            return try RunLengths(checking: counts, size: ImageSize(width: width, height: height))
        case .compressed(let text, let height, let width):
            return try RunLengths(compressed: text, size: ImageSize(width: width, height: height))
        case .polygons(let polygons):
            guard let size else { throw MaskError(description: "a polygon in a picture of unknown size") }
            guard let first = polygons.first else { throw MaskError(description: "no polygon") }
            var mask = try RunLengths(polygon: first, size: size)
            for polygon in polygons.dropFirst() { mask = mask.union(try RunLengths(polygon: polygon, size: size)) }
            return mask
        }
    }
}
