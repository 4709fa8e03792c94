import Datasets
import Platform

/// How a ``BatchRunner`` predicts a dataset.
///
/// Tasks add to it what they can write beside rows: ``drawing``, ``masks``, ``depth`` and others.
public struct BatchOptions: Sendable {
    /// The number of pictures in a batch; answers do not depend on it.
    public var batch: Int
    /// Whether answers come in the order of the list.
    public var isOrdered: Bool
    /// The time limit for reading, decoding and preprocessing a picture, and separately for predicting its batch. A
    /// picture that exceeds it becomes an error. Time for which the process is stopped does not count. A video whose
    /// next frame does not come in this time ends with an error.
    public var timeout: Duration?
    /// The part of the dataset to predict; nil for all of it.
    public var shard: Shard?

    /// All files that are written for each record.
    package private(set) var files: [any RecordFiles] = []
    /// What follows the answers through a video; nil for nothing.
    package var following: (any AnswerFollowing)?
    /// The maximum width and height of a thumbnail that records keep; nil for none.
    package var thumbnailSide: Int?

    /// Makes options.
    public init(batch: Int = 1, isOrdered: Bool = true, timeout: Duration? = nil, shard: Shard? = nil) {
        (self.batch, self.isOrdered, self.timeout, self.shard) = (batch, isOrdered, timeout, shard)
    }

    /// Whether pictures are needed once they are predicted.
    package var keepsImages: Bool { thumbnailSide != nil || files.contains(where: \.keepsImage) }

    /// The files of a type.
    package func files<Files: RecordFiles>(as type: Files.Type = Files.self) -> [Files] {
        files.compactMap { $0 as? Files }
    }

    /// Replaces the files of a type.
    package mutating func replaceFiles<Files: RecordFiles>(_ files: [Files]) {
        self.files = self.files.filter { !($0 is Files) } + files
    }

    /// The number of streams with the highest throughput: one for each thread, up to 16.
    ///
    /// - Parameter batches: The number of batches, if known. More streams than batches would be idle.
    public static func streams(forThreads threads: Int, batches: Int? = nil) -> Int {
        let threadsPerStream = (max(1, threads) + 15) / 16
        return max(1, min(max(1, threads) / threadsPerStream, batches ?? .max))
    }
}

/// The options of what follows the answers to the frames of a video.
package protocol AnswerFollowing: Sendable {
    /// Makes what follows one video.
    func makeFollower() -> any AnswerFollower
}

/// What follows the answers to the frames of a video, as an ``ObjectTracker`` does.
package protocol AnswerFollower: Sendable {
    /// The answer to the next frame, with what is known from those before.
    mutating func followed(_ answer: ImageAnswer) -> ImageAnswer
}
