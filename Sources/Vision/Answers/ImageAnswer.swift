/// What a network found in one picture.
public enum ImageAnswer: Sendable {
    /// The picture's classes.
    case classes(Classification)
    /// The objects in the picture.
    case objects(ObjectDetection)

    /// The kind of answer that a run gives.
    public enum Content: String, Sendable, Hashable {
        case classes, objects
    }
}
