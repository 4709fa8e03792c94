import Images
import Predicting

/// What a recipe found in one picture: objects, and what the stages behind say about each.
public struct PictureParts: Sendable {
    /// The objects, those with the most confidence first.
    public let parts: [PicturePart]
    /// The size of the upright picture; nil for records that are arrays of numbers.
    public let imageSize: ImageSize?

    package init(_ parts: [PicturePart], imageSize: ImageSize?) { (self.parts, self.imageSize) = (parts, imageSize) }
}

/// An object, and what the stages of a recipe say about it.
public struct PicturePart: Sendable {
    /// The object.
    public let object: RecognizedObject
    /// The answers by stage, in the order of the stages. Boxes and points are those of the whole picture.
    public let answers: [StageAnswer]

    /// The answer of a stage to the part, with the name of the stage.
    public typealias StageAnswer = (stage: String, answer: ImageAnswer)

    package init(object: RecognizedObject, answers: [StageAnswer]) {
        (self.object, self.answers) = (object, answers)
    }

    /// The answer of a stage; nil when there is none of this name.
    public subscript(stage: String) -> ImageAnswer? { answers.first { $0.stage == stage }?.answer }
}
