import Logging
import Planning
import Platform
import Synchronization

/// What a session still runs on its device for some extents of the inputs.
enum DeviceLimit: Sendable, Hashable {
    case unlimited
    /// At most this many images at a time.
    case images(Int)
    /// Only layers that are small enough for the plan to fit in the device's memory ÷ 2^`halvings`. `images` run at a
    /// time; nil runs the whole batch where it cannot be divided.
    case memory(images: Int?, halvings: Int)
    /// Nothing: the processor runs every layer.
    case processor
}

/// What a session has learned from a device that failed.
///
/// When the device's memory is too small, half as many images run at a time. When one image is too much, the processor
/// runs the layers that are too large; when that does not help either, it runs every layer.
///
/// After any other failure the device is restarted and the run is tried once more. When that fails too, the processor
/// runs everything from then on, unless the device was demanded.
final class DeviceFaults: Sendable {
    private struct State {
        var limits: [[[Int]]: DeviceLimit] = [:]
        var isGivenUp = false
        var notices: [String] = []
    }

    private static let maximumHalvingCount = 3
    /// The maximum number of layers that a notice names.
    private static let namedLayerLimit = 4

    private let isDeviceDemanded: Bool
    private let logger: Logger
    private let state = Mutex(State())

    init(isDeviceDemanded: Bool, logger: Logger) {
        self.isDeviceDemanded = isDeviceDemanded
        self.logger = logger
    }

    /// The notices so far, each once.
    var notices: [String] { state.withLock(\.notices) }

    func limit(for shapes: [[Int]]) -> DeviceLimit {
        state.withLock { $0.isGivenUp ? .processor : $0.limits[shapes] ?? .unlimited }
    }

    /// Calls `body` until it succeeds, and lowers the limit on the device after failures.
    ///
    /// - Parameter shapes: The extents of the inputs that `body` plans for.
    /// - Throws: ``ApusError/backend(name:message:)`` when a device that was demanded fails twice; what `body` throws.
    func recovering<Result>(_ shapes: [[Int]], _ body: () async throws -> Result) async throws -> Result {
        var failureCount = 0
        while true {
            let limit = limit(for: shapes)
            do {
                return try await body()
            } catch PlanningError.device(let error, let runCount) {
                try answer(error, shapes, limit, runCount: runCount, &failureCount)
            }
        }
    }

    /// Calls `body` until it succeeds, as above, where the calling thread may block.
    func recovering<Result>(_ shapes: [[Int]], _ body: () throws -> Result) throws -> Result {
        var failureCount = 0
        while true {
            let limit = limit(for: shapes)
            do {
                return try body()
            } catch PlanningError.device(let error, let runCount) {
                try answer(error, shapes, limit, runCount: runCount, &failureCount)
            }
        }
    }

    private func answer(
        _ error: DeviceError, _ shapes: [[Int]], _ limit: DeviceLimit, runCount: Int, _ failureCount: inout Int
    ) throws {
        switch error.kind {
        case .outOfMemory: shrink(shapes, from: limit, runCount: runCount, error)
        case .failed:
            failureCount += 1
            try answer(failureCount, error)
        }
    }

    /// Lowers the limit after the device ran out of memory.
    ///
    /// - Parameters:
    ///   - limit: The limit when the plan was made; another run may have lowered it meanwhile.
    ///   - runCount: The number of parts in which the failed batch ran.
    private func shrink(_ shapes: [[Int]], from limit: DeviceLimit, runCount: Int, _ error: DeviceError) {
        let batch = shapes.first?.first ?? 1
        let images = batch / max(runCount, 1)
        state.withLock { state in
            guard limit == state.limits[shapes] ?? .unlimited else { return }
            switch limit {
            // A batch that could not be divided before never can.
            case .unlimited where images > 1, .images where images > 1 && runCount > 1:
                state.limits[shapes] = .images(images / 2)
                say("\(error); a batch of \(batch) runs in parts of at most \(images / 2) images", &state)
            case .unlimited, .images:
                let count: Int? = if case .images(let count) = limit { count } else { nil }
                state.limits[shapes] = .memory(images: count, halvings: 0)
                say("\(error); in a batch of \(batch) only the layers that fit the device's memory run on it", &state)
            case .memory(let images, let halvings) where halvings < Self.maximumHalvingCount:
                state.limits[shapes] = .memory(images: images, halvings: halvings + 1)
            case .memory, .processor:
                state.limits[shapes] = .processor
                say("\(error); the processor runs the layers of a batch of \(batch)", &state)
            }
        }
    }

    /// Says which layers a plan moved to the processor because they do not fit the device's memory.
    func say(moved layers: [String], of count: Int, batch: Int) {
        guard !layers.isEmpty else { return }
        let names =
            layers.count > Self.namedLayerLimit
            ? layers.prefix(Self.namedLayerLimit).joined(separator: ", ")
                + " and \(layers.count - Self.namedLayerLimit) more"
            : layers.joined(separator: ", ")
        say(
            "the device's memory does not take one image of a batch of \(batch) at a time; the processor runs "
                + "\(layers.count) of \(count) layers, which are too large: \(names)")
    }

    private func answer(_ failureCount: Int, _ error: DeviceError) throws {
        if failureCount == 1 {
            state.withLock { say("\(error); the run is tried once more", &$0) }
            return
        }
        if isDeviceDemanded { throw ApusError.backend(name: BackendName.opencl.rawValue, message: "\(error)") }
        state.withLock { state in
            state.isGivenUp = true
            say("\(error); the processor runs every layer from now on", &state)
        }
    }

    /// Logs a notice and keeps it, once.
    func say(_ notice: String) { state.withLock { say(notice, &$0) } }

    private func say(_ notice: String, _ state: inout State) {
        guard !state.notices.contains(notice) else { return }
        state.notices.append(notice)
        logger.warning("\(notice)")
    }
}
