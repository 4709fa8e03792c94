import Inference
import Planning

extension ProfileTotals {
    /// The profile of the calls so far; nil when there were none.
    ///
    /// - Parameters:
    ///   - limits: The limits of the processor.
    ///   - deviceLimits: The limits of the device.
    package func profile(_ limits: MachineLimits?, _ deviceLimits: MachineLimits?) -> Profile? {
        guard runs > 0 else { return nil }
        let runs = Double(runs)
        func seconds(_ nanoseconds: Int64) -> Double { 1e-9 * Double(nanoseconds) / runs }
        let layers = entries.map { entry in
            let isOnDevice = entry.layer.space == .device || entry.layer.transferByteCount > 0
            let multiplyAdds = Int((Double(entry.multiplyAdds) / runs).rounded())
            let bytes = Int((Double(entry.bytes) / runs).rounded())
            let time = seconds(entry.total)
            let least = (isOnDevice ? deviceLimits : limits)?.shortestTime(multiplyAdds: multiplyAdds, bytes: bytes)
            let work: Profile.Work =
                entry.layer.transferByteCount > 0
                ? .transfer : entry.layer.operatorName == Reorder.name ? .reorder : .layer
            return Profile.Layer(
                name: entry.layer.name, operator: entry.layer.operatorName, work: work,
                inputs: entry.layer.inputShapes, outputs: entry.layer.outputShapes, backend: entry.layer.backend,
                lowering: entry.layer.lowering, isOnDevice: isOnDevice, firstOfStrips: entry.firstOfStrips,
                seconds: time, minimumSeconds: entry.minimum == .max ? 0 : 1e-9 * Double(entry.minimum),
                threadSeconds: isOnDevice ? [] : entry.threads.map(seconds), multiplyAdds: multiplyAdds, bytes: bytes,
                bound: time > 0 ? least?.bound : nil, peakFraction: time > 0 ? least.map { $0.seconds / time } : nil)
        }
        let known = rest.copies + rest.waiting - rest.overlap + queueing + entries.reduce(0) { $0 + $1.total }
        return Profile(
            model: model, runs: self.runs, images: images, seconds: seconds(wall),
            minimumSeconds: 1e-9 * Double(minimumWall), layers: layers,
            rest: Profile.Rest(
                copies: seconds(rest.copies), waiting: seconds(rest.waiting), queueing: seconds(queueing),
                scheduling: seconds(wall - known), overlap: -seconds(rest.overlap)),
            limits: limits, deviceLimits: deviceLimits)
    }
}
