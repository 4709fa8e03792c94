/// Follows objects from frame to frame, and gives those that are the same thing the same number.
///
///     var tracker = ObjectTracker()
///     for frame in frames {
///         for object in tracker.update(try await detector.predict(.image(frame)).objects) {
///             print(object.trackID ?? -1, object.identifier, object.box)
///         }
///     }
///
/// Each thing's box is predicted by a Kalman filter of constant velocity, and predictions are assigned to the frame's objects so
/// that the sum of their overlaps is largest.
///
/// Reference: Bewley et al., 2016, Simple Online and Realtime Tracking, https://arxiv.org/abs/1602.00763
public struct ObjectTracker: Sendable {
    /// How objects are followed.
    public struct Options: Sendable, Equatable {
        /// The least intersection over union of a predicted box and an object's.
        public var minimumOverlap: Float
        /// In how many frames one after the other a thing is seen before it gets a number. In the first frames of all it gets one at
        /// once.
        public var minimumHits: Int
        /// For how many frames a thing may be out of sight and keep its number.
        public var maximumMisses: Int
        /// Whether only objects of the same class can be the same thing.
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
        /// Frames in which it was seen, one after the other.
        var hits = 1
        var misses = 0
        /// Nil until it is sure.
        var id: Int?
    }

    /// How objects are followed.
    public let options: Options
    private var tracks: [Track] = []
    private var frameCount = 0
    private var nextID = 1

    /// Starts with nothing seen.
    public init(_ options: Options = Options()) { self.options = options }

    /// The objects of the next frame with the numbers of the things they are; nil for those that are not sure yet.
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

    /// The number of a track that was just seen, once it is sure.
    private mutating func number(_ track: Track) -> Int? {
        if let id = track.id { return id }
        guard track.hits >= options.minimumHits || frameCount <= options.minimumHits else { return nil }
        defer { nextID += 1 }
        return nextID
    }
}
