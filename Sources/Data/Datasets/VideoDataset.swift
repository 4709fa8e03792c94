import FoundationEssentials
import Images
import Platform

/// The frames of a video file, which FFmpeg's program decodes.
///
///     .video("street.mp4", rate: FrameFormat.Rate(frames: 2))
///
/// Frames are evenly spread: at the given rate, or at the stream's average rate. A frame's time is its number ÷ the
/// rate, and its id the path with the time in seconds, as `street.mp4#t=1.500`. Frames are upright, as the file says.
///
/// What FFmpeg cannot do is an error record with the path as its id, after the frames that it gave.
public struct VideoDataset: Dataset {
    private let path: String
    private let rate: FrameFormat.Rate?
    private let maximumPixelCount: Int

    package init(path: String, rate: FrameFormat.Rate?, maximumPixelCount: Int) {
        (self.path, self.rate, self.maximumPixelCount) = (path, rate, maximumPixelCount)
    }

    /// The extensions of video files.
    static let fileExtensions: Set = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "mts", "m2ts", "wmv", "flv", "ogv", "3gp",
    ]

    /// Whether a path is that of a file with a video's extension, which does not begin as a picture.
    package static func isVideo(_ path: String) -> Bool {
        guard fileExtensions.contains(URL(fileURLWithPath: path).pathExtension.lowercased()),
            let start = FileStart(path)
        else {
            return false
        }
        return !start.isPicture
    }

    public var canBeListedAhead: Bool { false }
    public var containers: [String] { [path] }

    public func records() throws(ApusError) -> RecordListing {
        let frames: VideoFrames
        do throws(VideoFrames.Failure) {
            frames = try VideoFrames(path, rate, maximumPixelCount: maximumPixelCount)
        } catch {
            if case .cancelled = error { throw .cancelled }
            return RecordListing([ImageRecord(id: path, source: .failure(error.record))])
        }
        return RecordListing { () throws(ApusError) -> ImageRecord? in try frames.next() }
    }
}

extension Dataset where Self == VideoDataset {
    /// The frames of a video file.
    ///
    /// - Parameters:
    ///   - rate: Frames per second; nil for the stream's average rate.
    ///   - maximumPixelCount: The maximum number of pixels of a frame; a video with larger ones is an error record.
    public static func video(
        _ path: String, rate: FrameFormat.Rate? = nil, maximumPixelCount: Int = Image.defaultMaximumPixelCount
    ) -> VideoDataset {
        VideoDataset(path: path, rate: rate, maximumPixelCount: maximumPixelCount)
    }
}
