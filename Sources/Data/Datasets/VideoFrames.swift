import FoundationEssentials
import Images
import Platform
import Preparation

/// The frames that FFmpeg's program gives of a video, one after the other.
///
/// The program reads nothing but local files of the formats of videos, whatever they name.
final class VideoFrames {
    /// Why a video has no frames.
    enum Failure: Error {
        case cancelled
        case failed(code: String, message: String)

        /// The error of the video's record.
        var record: RecordError {
            switch self {
            case .cancelled: .cancelled
            case .failed(let code, let message): RecordError(stage: "read", code: code, message: message)
            }
        }
    }

    /// Formats with frames of their own: no lists of other files.
    private static let formats =
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,asf,flv,ogg,m4v,h264,hevc"

    private let path: String
    private let format: FrameFormat
    private let rate: FrameFormat.Rate
    private let process: ChildProcess
    private var number = 0
    private var isOver = false

    init(_ path: String, _ wanted: FrameFormat.Rate?, maximumPixelCount: Int) throws(Failure) {
        self.path = path
        let stream = try VideoStream(path, reading: Self.options(path))
        guard let rate = wanted ?? stream.rate else {
            throw .failed(code: "video", message: "the video does not tell its frames per second; --fps gives them")
        }
        guard let format = FrameFormat(width: stream.size.width, height: stream.size.height, pixels: .rgb24) else {
            throw .failed(code: "too-large", message: "frames cannot have the size \(stream.size)")
        }
        guard stream.size.pixelCount.map({ $0 <= maximumPixelCount }) ?? false else {
            throw .failed(
                code: "too-large", message: "frames of \(stream.size) have more than \(maximumPixelCount) pixels")
        }
        (self.format, self.rate) = (format, rate)
        let words =
            ["ffmpeg", "-nostdin", "-v", "error"] + Self.options(path) + [
                "-map", "0:v:0", "-vf", "fps=fps=\(rate.frames)/\(rate.seconds):start_time=0", "-s", "\(stream.size)",
                "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1",
            ]
        process = try Self.start(words)
    }

    /// The options before which no file is named, and the file.
    private static func options(_ path: String) -> [String] {
        ["-protocol_whitelist", "file,pipe", "-format_whitelist", formats, "-i", "file:" + path]
    }

    static func start(_ words: [String]) throws(Failure) -> ChildProcess {
        do throws(ChildProcess.Failure) {
            return try ChildProcess(words)
        } catch {
            let advice = if case .missing = error { "; the Debian package ffmpeg has it" } else { "" }
            throw .failed(code: "program", message: error.message + advice)
        }
    }

    /// The next frame; at the end the error of the program, if there is one.
    func next() throws(ApusError) -> ImageRecord? {
        guard !isOver else { return nil }
        let limit = RecordListing.limit
        guard let bytes = try process.read(format.byteCount, until: limit.map { .now + $0 }) else {
            isOver = true
            process.end()
            let message = "ffmpeg gave no frame within \((limit ?? .zero) / .seconds(1)) s"
            return ImageRecord(
                id: path, source: .failure(RecordError(stage: "read", code: "deadline", message: message)))
        }
        guard bytes.count == format.byteCount else {
            isOver = true
            return ending(restCount: bytes.count)
        }
        let time = Double(number) * Double(rate.seconds) / Double(rate.frames)
        number += 1
        let id = path + "#t=" + time.text(decimals: 3)
        return ImageRecord(
            id: id, source: .deferred { [format] in .image(try format.image([UInt8](bytes))) },
            timestamp: .seconds(time))
    }

    private func ending(restCount: Int) -> ImageRecord? {
        let failure = process.failure()
        let messages = process.lastMessages
        var text = failure ?? (messages.isEmpty ? nil : "ffmpeg reported: \(messages)")
        if text == nil, restCount > 0 { text = "the last frame is cut off" }
        if text == nil, number == 0 { text = "the video has no frames" }
        return text.map { text in
            ImageRecord(id: path, source: .failure(RecordError(stage: "read", code: "video", message: text)))
        }
    }
}

/// The video stream of a file, as FFmpeg's program for such questions tells it.
struct VideoStream {
    /// The size of upright frames.
    let size: ImageSize
    /// The average number of frames a second; nil where it is not known.
    let rate: FrameFormat.Rate?

    private struct Answer: Decodable {
        struct Stream: Decodable {
            struct Side: Decodable {
                let rotation: Double?
            }

            struct Tags: Decodable {
                let rotate: String?
            }

            let width, height: Int?
            let avg_frame_rate, r_frame_rate: String?
            let side_data_list: [Side]?
            let tags: Tags?
        }

        let streams: [Stream]?
    }

    private static let maximumByteCount = 1 << 20
    private static let limit = Duration.seconds(60)

    init(_ path: String, reading options: [String]) throws(VideoFrames.Failure) {
        let process = try VideoFrames.start(
            ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_streams", "-of", "json"] + options)
        let limit = min(RecordListing.limit ?? Self.limit, Self.limit)
        let data: Data?
        do throws(ApusError) {
            data = try process.read(Self.maximumByteCount, until: .now + limit)
        } catch {
            throw .cancelled
        }
        guard let data else {
            throw .failed(code: "deadline", message: "ffprobe did not answer within \(limit / .seconds(1)) s")
        }
        if let failure = process.failure() { throw .failed(code: "video", message: failure) }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: data), let stream = answer.streams?.first,
            let width = stream.width, let height = stream.height, width > 0, height > 0
        else { throw .failed(code: "video", message: "the file has no video") }
        let sides = stream.side_data_list?.compactMap(\.rotation) ?? []
        let degrees = sides.first ?? stream.tags?.rotate.flatMap(Double.init) ?? 0
        let isTurned = Int(abs(degrees).rounded().truncatingRemainder(dividingBy: 180)) == 90
        size = isTurned ? ImageSize(width: height, height: width) : ImageSize(width: width, height: height)
        rate = Self.rate(stream.avg_frame_rate) ?? Self.rate(stream.r_frame_rate)
    }

    /// A rate such as `30000/1001`; numbers that are too large are brought to whole thousandths.
    private static func rate(_ text: String?) -> FrameFormat.Rate? {
        let parts = (text ?? "").split(separator: "/").compactMap { Double($0) }
        guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
        if let frames = Int(exactly: parts[0]), let seconds = Int(exactly: parts[1]),
            let rate = FrameFormat.Rate(frames: frames, seconds: seconds)
        {
            return rate
        }
        let thousandths = (parts[0] / parts[1] * 1000).rounded()
        return thousandths <= 1_000_000 ? FrameFormat.Rate(frames: Int(thousandths), seconds: 1000) : nil
    }
}
