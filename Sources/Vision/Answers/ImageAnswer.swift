/// What a network found in one picture.
public enum ImageAnswer: Sendable {
    /// The picture's classes.
    case classes(Classification)
    /// The objects in it.
    case objects(ObjectDetection)

    /// Which of these a run gives.
    public enum Content: String, Sendable, Hashable {
        case classes, objects
    }
}
