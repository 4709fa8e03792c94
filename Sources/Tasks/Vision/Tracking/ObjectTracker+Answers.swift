import Predicting

extension ObjectTracker.Options: AnswerFollowing {
    package func makeFollower() -> any AnswerFollower { ObjectTracker(self) }
}

extension ObjectTracker: AnswerFollower {
    /// The answer with numbered objects, where it is one of objects.
    package mutating func followed(_ answer: ImageAnswer) -> ImageAnswer {
        guard var detection = answer.objects else { return answer }
        detection.objects = update(detection.objects)
        return ImageAnswer(detection)
    }
}

extension BatchOptions {
    /// The options for tracking objects across records, which must be the frames of one video; nil for no tracking.
    /// With tracking, answers come in the order of the list.
    public var tracking: ObjectTracker.Options? {
        get { following as? ObjectTracker.Options }
        set { following = newValue }
    }
}
