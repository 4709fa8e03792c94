import Predicting

/// A tracker, which follows objects from frame to frame and gives each a number that stays the same.
///
///     var tracker = ObjectTracker()
///     for frame in frames {
///         for object in tracker.update(try await detector.predict(.image(frame)).objects) {
///             print(object.trackID ?? -1, object.identifier, object.box)
///         }
///     }
///
/// A Kalman filter of constant velocity predicts each object's box. Predictions are assigned to the objects of the
/// frame so that the sum of their overlaps is maximal.
///
/// Reference: Bewley et al., 2016, Simple Online and Realtime Tracking, https://arxiv.org/abs/1602.00763
public struct ObjectTracker: Sendable {
    /// How objects are followed.
    public struct Options: Sendable, Equatable {
        /// The minimum intersection over union of a predicted box and that of an object.
        public var minimumOverlap: Float
        /// The number of consecutive frames in which an object is seen before it gets a number. In the first frames of
        /// the video an object gets one at once.
        public var minimumHits: Int
        /// The maximum number of frames for which an object may be out of sight and keep its number.
        public var maximumMisses: Int
        /// Whether detections must have the same class to be the same object.
        public var matchesClasses: Bool

        /// Makes options.
        public init(
            minimumOverlap: Float = 0.3, minimumHits: Int = 3, maximumMisses: Int = 5, matchesClasses: Bool = true
        ) {
            self.minimumOverlap = minimumOverlap
            self.minimumHits = minimumHits
            self.maximumMisses = maximumMisses
            self.matchesClasses = matchesClasses
        }
    }

    private struct Track {
        var filter: BoxFilter
        let classIndex: Int?
        /// The number of consecutive frames in which it was seen.
        var hits = 1
        var misses = 0
        /// The number; nil until the track has enough hits.
        var id: Int?
    }

    /// How objects are followed.
    public let options: Options
    private var tracks: [Track] = []
    private var frameCount = 0
    private var nextID = 1

    /// Makes a tracker that has seen no frames.
    public init(_ options: Options = Options()) { self.options = options }

    /// Takes the objects of the next frame, and returns them with their numbers; nil for those without enough hits yet.
    public mutating func update(_ objects: [RecognizedObject]) -> [RecognizedObject] {
        frameCount += 1
        for index in tracks.indices { tracks[index].filter.predict() }
        let classes = objects.map { options.matchesClasses ? $0.labels.first?.index : nil }
        let overlaps = tracks.map { track in
            zip(objects, classes).map { object, objectClass in
                objectClass == track.classIndex ? track.filter.box.intersectionOverUnion(with: object.box) : 0
            }
        }
        let assigned = Assignment.minimumCost(overlaps.map { $0.map { -Double($0) } })
        var results = objects
        var isNew = [Bool](repeating: true, count: objects.count)
        for (index, object) in assigned.enumerated() {
            guard let object, overlaps[index][object] >= options.minimumOverlap else {
                tracks[index].misses += 1
                tracks[index].hits = 0
                continue
            }
            isNew[object] = false
            tracks[index].filter.correct(objects[object].box)
            tracks[index].misses = 0
            tracks[index].hits += 1
            results[object].trackID = number(tracks[index])
            tracks[index].id = results[object].trackID
        }
        for object in objects.indices where isNew[object] {
            var track = Track(filter: BoxFilter(objects[object].box), classIndex: classes[object])
            track.id = number(track)
            results[object].trackID = track.id
            tracks.append(track)
        }
        tracks.removeAll { $0.misses > options.maximumMisses || ($0.misses > 0 && $0.id == nil) }
        return results
    }

    /// The number of a track that was just seen, once it has enough hits.
    private mutating func number(_ track: Track) -> Int? {
        if let id = track.id { return id }
        guard track.hits >= options.minimumHits || frameCount <= options.minimumHits else { return nil }
        defer { nextID += 1 }
        return nextID
    }
}

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
