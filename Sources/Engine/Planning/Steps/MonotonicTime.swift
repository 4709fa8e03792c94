import Glibc

/// The clock for recordings, `CLOCK_MONOTONIC`, in nanoseconds.
package enum MonotonicTime {
    /// The present time.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The seconds that have passed since another time.
    package static func seconds(since start: Int64) -> Double { 1e-9 * Double(now - start) }
}
