/// What a network is for: how its outputs become an answer about a picture.
///
/// The raw values are those of `--task`, and of `"task"` in `NAME.postprocess.json`.
public enum VisionTask: String, CaseIterable, Sendable, Hashable, Codable {
    /// Classes of the whole picture.
    case classify
    /// Objects with boxes.
    case detect
    /// The class of every pixel, a matte, or objects with masks.
    case segment
    /// People or hands, with named points.
    case pose
    /// Points of one face, eye or other thing.
    case landmarks
    /// A vector by which pictures are compared.
    case embed
    /// The depth of each pixel.
    case depth
    /// A picture made of the picture, such as one of a higher resolution.
    case image
    /// Lines of text.
    case text
    /// Numbers that the network estimates.
    case regress
    /// The outputs themselves.
    case raw
}

extension Catalog {
    /// The names of the tasks.
    public static var taskNames: [String] { VisionTask.allCases.map(\.rawValue) }
}
