import Images
import Platform
import Preparation

/// Consecutive raw frames from a pipe or a file, as FFmpeg writes them with `-f rawvideo`:
///
///     ffmpeg -i video.mp4 -f rawvideo -pix_fmt rgb24 - | apus predict squeezenet1_1.onnx - --frames 640x480xrgb24
///
/// The id of a frame is its number in the source, from `frame-000000` on; frames that are left out count too. Its time
/// is that number ÷ the source's rate. Without a rate, the time is measured from the arrival of the first frame when
/// late frames are dropped, and is nil otherwise. An incomplete last frame is an error record.
public struct FrameDataset: Dataset {
    /// The frames that are left out.
    public struct Thinning: Sendable {
        /// The frames per second to keep; nil for all. A rate needs the source's rate in the format.
        public var rate: FrameFormat.Rate?
        /// Whether a new frame replaces the oldest waiting one when the queue is full, so that answers keep up with a
        /// live source. Otherwise the source waits.
        public var dropsLate: Bool

        /// Makes options.
        public init(rate: FrameFormat.Rate? = nil, dropsLate: Bool = false) {
            self.rate = rate
            self.dropsLate = dropsLate
        }
    }

    /// The maximum number of waiting frames when late ones are dropped.
    private static let maximumWaitingCount = 4

    private let format: FrameFormat
    private let thinning: Thinning
    private let makeSource: @Sendable () throws(ApusError) -> ByteSource

    package init(
        _ format: FrameFormat, _ thinning: Thinning,
        source: @escaping @Sendable () throws(ApusError) -> ByteSource
    ) throws(ApusError) {
        if let wanted = thinning.rate {
            guard let rate = format.rate else {
                throw .usage("thinning frames to a rate needs the source's rate: WIDTHxHEIGHTxPIXELS@RATE")
            }
            guard wanted.frames * rate.seconds <= rate.frames * wanted.seconds else {
                throw .usage("frames cannot be thinned to a higher rate than the source's")
            }
        }
        self.format = format
        self.thinning = thinning
        makeSource = source
    }

    public var canBeListedAhead: Bool { false }

    public func records() throws(ApusError) -> RecordListing {
        let source = try makeSource()
        var frames = FrameReader(source, format, keeping: FrameSelection(thinning.rate, of: format.rate))
        guard thinning.dropsLate else {
            return RecordListing { () throws(ApusError) -> ImageRecord? in try frames.next() }
                .refusingNothing(in: source.name, Self.nothing)
        }
        let waiting = LatestRecords(limit: Self.maximumWaitingCount)
        let isStarted = DetachedThread.start(name: "apus-frames") { [gracefulStop = GracefulStop.current] in
            var frames = FrameReader(
                source, format, keeping: FrameSelection(thinning.rate, of: format.rate), isLive: true)
            GracefulStop.$current.withValue(gracefulStop) {
                do throws(ApusError) {
                    while let record = try frames.next(), waiting.append(record) {}
                    waiting.finish(nil)
                } catch {
                    waiting.finish(error)
                }
            }
        }
        guard isStarted else { throw .memory("the system could not start the thread \"apus-frames\"") }
        let reader = LatestRecords.Reader(waiting)
        return RecordListing { () throws(ApusError) -> ImageRecord? in try reader.next() }
            .refusingNothing(in: source.name, Self.nothing)
    }

    private static let nothing = "gives no frames"
}

extension Dataset where Self == FrameDataset {
    /// Raw frames from standard input.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the source's rate is unknown or below the wanted one.
    public static func frames(
        _ format: FrameFormat, _ thinning: FrameDataset.Thinning = FrameDataset.Thinning()
    ) throws(ApusError) -> FrameDataset {
        try FrameDataset(format, thinning) { .standardInput() }
    }

    /// Raw frames from a file, a named pipe or a device.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the source's rate is unknown or below the wanted one.
    public static func frames(
        _ format: FrameFormat, from path: String, _ thinning: FrameDataset.Thinning = FrameDataset.Thinning()
    ) throws(ApusError) -> FrameDataset {
        try FrameDataset(format, thinning) { () throws(ApusError) -> ByteSource in
            try ByteSource(path: path, takesDevices: true)
        }
    }
}

/// Selects evenly spread frames: frame `n` is kept when `n × wanted mod source < wanted`, both rates in frames per
/// second.
struct FrameSelection {
    private let wanted: Int
    private let source: Int
    private var remainder = 0

    init(_ wanted: FrameFormat.Rate?, of source: FrameFormat.Rate?) {
        guard let wanted, let source else {
            (self.wanted, self.source) = (1, 1)
            return
        }
        // Both factors are at most 1,000,000, so the products do not overflow.
        self.wanted = wanted.frames * source.seconds
        self.source = source.frames * wanted.seconds
    }

    /// Whether the next frame is kept.
    mutating func keepsNext() -> Bool {
        let isKept = remainder < wanted
        remainder = (remainder + wanted) % source
        return isKept
    }
}

/// Cuts a stream into frames.
private struct FrameReader {
    private let source: ByteSource
    private let format: FrameFormat
    private var selection: FrameSelection
    private let isLive: Bool
    private var start: ContinuousClock.Instant?
    private var number = 0
    private var isOver = false

    init(_ source: ByteSource, _ format: FrameFormat, keeping selection: FrameSelection, isLive: Bool = false) {
        self.source = source
        self.isLive = isLive
        self.format = format
        self.selection = selection
    }

    mutating func next() throws(ApusError) -> ImageRecord? {
        while !isOver {
            let bytes = try source.readFully(format.byteCount)
            guard !bytes.isEmpty else { return nil }
            let id = Self.id(number)
            let time = timestamp()
            number += 1
            guard bytes.count == format.byteCount else {
                isOver = true
                let message = "the last frame is cut off: \(bytes.count) of \(format.byteCount) bytes are there"
                return ImageRecord(
                    id: id, source: .failure(RecordError(stage: "read", code: "truncated", message: message)),
                    timestamp: time)
            }
            guard selection.keepsNext() else { continue }
            return ImageRecord(
                id: id, source: .deferred { [format] in .image(try format.image([UInt8](bytes))) }, timestamp: time)
        }
        return nil
    }

    /// The time of the frame that was just read.
    private mutating func timestamp() -> Duration? {
        if let rate = format.rate { return .seconds(Double(number) * Double(rate.seconds) / Double(rate.frames)) }
        guard isLive else { return nil }
        let now = ContinuousClock.now
        start = start ?? now
        return start.map { now - $0 }
    }

    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return "frame-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
