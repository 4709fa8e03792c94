import Inference

extension Profiler {
    /// Where the time of the runs so far went; nil when there were none.
    ///
    /// - Parameters:
    ///   - limits: What the processor can do, to compare layers with.
    ///   - deviceLimits: What the device can do, likewise.
    public func profile(limits: MachineLimits? = nil, deviceLimits: MachineLimits? = nil) -> Profile? {
        recordedTotals.profile(limits, deviceLimits)
    }
}
