/// What a network found in one picture.
public enum ImageAnswer: Sendable {
    /// The picture's classes.
    case classes(Classification)
    /// The objects in the picture.
    case objects(ObjectDetection)
    /// The class of every pixel.
    case segments(Segmentation)
    /// The objects in the picture, with their pixels.
    case instances(InstanceSegmentation)
    /// The people or hands in the picture, by their points.
    case poses(PoseEstimation)
    /// The points of the one thing that the picture shows.
    case landmarks(LandmarkDetection)
    /// A vector by which the picture is compared with others.
    case embedding(ImageEmbedding)
    /// The depth of each pixel.
    case depth(DepthMap)
    /// A picture made of the picture.
    case image(GeneratedImage)
    /// Lines of text.
    case text(RecognizedText)
    /// Objects, and what the other stages of a recipe say about each.
    case parts(PictureParts)
    /// The outputs of the network, as they are.
    case outputs(NetworkOutputs)

    /// The kind of answer that a run gives.
    public enum Content: String, Sendable, Hashable, CaseIterable {
        case classes, objects, segments, instances, poses, landmarks, embeddings, depth, image, text, parts, outputs
    }

    /// The kind of this answer.
    package var content: Content {
        switch self {
        case .classes: .classes
        case .objects: .objects
        case .segments: .segments
        case .instances: .instances
        case .poses: .poses
        case .landmarks: .landmarks
        case .embedding: .embeddings
        case .depth: .depth
        case .image: .image
        case .text: .text
        case .parts: .parts
        case .outputs: .outputs
        }
    }
}
