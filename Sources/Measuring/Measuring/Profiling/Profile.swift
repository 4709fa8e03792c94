import Inference

/// The time of runs, layer by layer and for everything else.
///
/// Times are in seconds and are means over ``runs``. ``layers`` and ``rest`` add up to ``seconds``.
///
///     let profiler = Profiler()
///     let session = try await Session(model, options: .init(profiler: profiler))
///     _ = try await session.predict(inputs)
///     for layer in profiler.profile()?.layers ?? [] { print(layer.name, layer.seconds) }
public struct Profile: Sendable, Codable {
    /// The kind of work of a line in a profile.
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
        /// The operator, with the operators fused into it: `Conv + Relu`.
        public let `operator`: String
        /// The kind of work: a layer of the network, or a copy of the plan.
        public let work: Work
        /// The shapes of the inputs, for one part of a batch.
        public let inputs: [[Int]]
        /// The shapes of the outputs, for one part of a batch.
        public let outputs: [[Int]]
        /// The backend, such as `cpu`.
        public let backend: String
        /// The kernel, by its lowering's name, such as `pointwise-gemm`.
        public let lowering: String
        /// Whether the layer runs on an OpenCL device, which reports the times of its kernels.
        public let isOnDevice: Bool
        /// The index of the first of the layers that run strip by strip together with this one; nil when it runs alone.
        /// Their total time is divided in proportion to the threads' time on each.
        public let firstOfStrips: Int?
        /// The time from start to end; on a device, from the start of its commands in the queue.
        public let seconds: Double
        /// The time in the fastest run of the layer.
        public let minimumSeconds: Double
        /// The time that each thread worked on the layer, the stream's own thread first; empty on a device.
        public let threadSeconds: [Double]
        /// The number of multiply-adds by the operator's definition. Some kernels, such as Winograd's, make fewer.
        public let multiplyAdds: Int
        /// The size of inputs, weights and outputs in bytes, each counted once. Values written in place and values
        /// between layers that run strip by strip are not counted.
        public let bytes: Int
        /// The limit that binds the layer; nil without limits or without work.
        public let bound: MachineLimits.Bound?
        /// The shortest time that the machine's limits allow, divided by ``seconds``. It can exceed 1 when values come
        /// from a cache, or when a kernel makes fewer multiply-adds.
        public let peakFraction: Double?

        /// The arithmetic throughput in GFLOP/s, with a multiply-add counted as two operations.
        public var gigaflopsPerSecond: Double { seconds > 0 ? 2e-9 * Double(multiplyAdds) / seconds : 0 }
        /// The bandwidth in GB/s.
        public var gigabytesPerSecond: Double { seconds > 0 ? 1e-9 * Double(bytes) / seconds : 0 }
    }

    /// The time of a run outside layers.
    public struct Rest: Sendable, Codable {
        /// Conversions of inputs and outputs to and from the plan's layouts, and transfers to and from a device.
        public let copies: Double
        /// Waiting for a device while it runs none of the layers.
        public let waiting: Double
        /// The time from the call to the start of the run: other runs on the same streams, and the change of thread.
        public let queueing: Double
        /// Everything else: switching layers, submitting work to a device, allocating memory for outputs.
        public let scheduling: Double
        /// The time in which the processor and a device both worked, as a negative number, because the layers count it
        /// twice.
        public let overlap: Double

        /// The sum of all parts.
        public var seconds: Double { copies + waiting + queueing + scheduling + overlap }
    }

    /// The model's name.
    public let model: String
    /// The number of runs, which are calls that ran a batch.
    public let runs: Int
    /// The number of images in all runs together.
    public let images: Int
    /// The mean time of a run, from the call to its result.
    public let seconds: Double
    /// The time of the fastest run.
    public let minimumSeconds: Double
    /// The layers in execution order.
    public let layers: [Layer]
    /// The time outside layers.
    public let rest: Rest
    /// The limits of the processor with the threads of a stream; nil when not measured.
    public let limits: MachineLimits?
    /// The limits of the device; nil without a device or when not measured.
    public let deviceLimits: MachineLimits?

    /// The total time of the layers, including copies between them.
    public var layerSeconds: Double { layers.reduce(0) { $0 + $1.seconds } }
}

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
