
/// Where the time of runs went: layer by layer, and what is left between them.
///
/// Times are seconds, means over ``runs``. ``layers`` and ``rest`` add up to ``seconds``.
///
///     let profiler = Profiler()
///     let session = try await Session(model, options: .init(profiler: profiler))
///     _ = try await session.predict(inputs)
///     for layer in profiler.profile()?.layers ?? [] { print(layer.name, layer.seconds) }
public struct Profile: Sendable, Codable {
    /// What a line of a profile does.
    public enum Work: String, Sendable, Codable {
        /// Computes a layer of the network.
        case layer
        /// Copies a value into another layout.
        case reorder
        /// Copies a value between the processor's memory and a device's.
        case transfer
    }

    /// A layer of the plan, or a copy that the planner put between layers.
    public struct Layer: Sendable, Codable {
        /// The node's name.
        public let name: String
        /// The operator, with what is fused into it: `Conv + Relu`.
        public let `operator`: String
        /// Whether the network asks for it, or the plan.
        public let work: Work
        /// The extents of the inputs, for one part of a batch.
        public let inputs: [[Int]]
        /// The extents of the outputs, likewise.
        public let outputs: [[Int]]
        /// The backend, such as `cpu`.
        public let backend: String
        /// The kernel, by its lowering's name, such as `pointwise-gemm`.
        public let lowering: String
        /// Whether it runs on a device of OpenCL, which says itself how long its kernels took.
        public let isOnDevice: Bool
        /// The index of the first of the layers that run strip by strip with this one; nil when it runs by itself. The time
        /// that all of them took is divided among them by what the threads spent on each.
        public let firstOfStrips: Int?
        /// How long it took, from its beginning to its end; on a device from when the queue came to it.
        public let seconds: Double
        /// How long it took in the run in which it was fastest.
        public let leastSeconds: Double
        /// How long each thread was at work on it, the stream's own first; empty on a device.
        public let threadSeconds: [Double]
        /// Multiplications followed by an addition, by the operator's definition: a kernel such as Winograd's makes fewer.
        public let multiplyAdds: Int
        /// Bytes of inputs, weights and outputs, each counted once; without what is written in place, and without the values
        /// between layers that run strip by strip.
        public let bytes: Int
        /// What of the machine binds it; nil without limits, and when it does nothing.
        public let bound: MachineLimits.Bound?
        /// The part of ``seconds`` that the machine's limits leave no way around, from 0 to 1. More where values come from
        /// a cache, which is faster than the memory that was measured, and where a kernel makes fewer multiply-adds.
        public let peakFraction: Double?

        /// Thousand million operations in a second, a multiply-add counted as two.
        public var gigaflopsPerSecond: Double { seconds > 0 ? 2e-9 * Double(multiplyAdds) / seconds : 0 }
        /// Thousand million bytes in a second.
        public var gigabytesPerSecond: Double { seconds > 0 ? 1e-9 * Double(bytes) / seconds : 0 }
    }

    /// What the time of a run goes to besides layers.
    public struct Rest: Sendable, Codable {
        /// Reading inputs and writing outputs in the form they have outside the plan, and bytes on their way to and from a
        /// device.
        public let copies: Double
        /// Waiting for a device that does none of the layers meanwhile.
        public let waiting: Double
        /// From the call to the beginning of the run: other runs on the same streams, and the change of thread.
        public let queueing: Double
        /// Everything else: going from layer to layer, handing work to a device, taking memory for outputs.
        public let scheduling: Double
        /// Time in which the processor and a device worked both, and which is counted twice therefore; not above 0.
        public let overlap: Double

        /// The sum.
        public var seconds: Double { copies + waiting + queueing + scheduling + overlap }
    }

    /// The model's name.
    public let model: String
    /// How many runs there were: calls that ran a batch.
    public let runs: Int
    /// The images of all runs together.
    public let images: Int
    /// How long a run took, from the call to its result.
    public let seconds: Double
    /// How long the fastest run took.
    public let leastSeconds: Double
    /// The layers in the order of running.
    public let layers: [Layer]
    /// What is not the layers' time.
    public let rest: Rest
    /// What the processor can do with the threads of a stream; nil where it was not measured.
    public let limits: MachineLimits?
    /// What the device can do; nil where there is none or it was not measured.
    public let deviceLimits: MachineLimits?

    /// How long the layers took, copies between them included.
    public var layerSeconds: Double { layers.reduce(0) { $0 + $1.seconds } }
}
