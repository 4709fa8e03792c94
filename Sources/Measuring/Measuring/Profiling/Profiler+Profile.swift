import Inference

extension Profiler {
    /// The profile of the runs so far; nil when there were none.
    ///
    /// - Parameters:
    ///   - limits: The limits of the processor, for comparison with layers.
    ///   - deviceLimits: The limits of the device, for comparison with layers.
    public func profile(limits: MachineLimits? = nil, deviceLimits: MachineLimits? = nil) -> Profile? {
        recordedTotals.profile(limits, deviceLimits)
    }
}
