import Synchronization

/// The specialized requests that lowerings have read from a request so far.
///
/// Safe to use from any thread.
final class RequestReadings: Sendable {
    private let readings = Mutex<[any Sendable]>([])

    /// Reads a request as a `Special`, or returns the result of an earlier call for that type.
    func reading<Special: SpecializedRequest>(_ request: LoweringRequest) -> Result<Special, LoweringRefusal> {
        typealias Reading = Result<Special, LoweringRefusal>
        let known = readings.withLock { $0.lazy.compactMap { $0 as? Reading }.first }
        if let known { return known }
        let reading: Reading
        do { reading = .success(try Special(request)) } catch { reading = .failure(error) }
        readings.withLock { $0.append(reading) }
        return reading
    }
}
