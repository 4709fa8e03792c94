/// A device and its lowerings.
package protocol Backend: Sendable {
    /// The name used on the command line, such as `cpu`.
    var name: String { get }
    /// A description of the device, with library versions.
    var deviceDescription: String { get }
    /// The lowerings, preferred first.
    var lowerings: [any Lowering] { get }
    /// Identifies what measured times hold for: the device, its instructions, and the versions of kernels and
    /// libraries. Nil when nothing is to be measured.
    var measurementKey: String? { get }
    /// Bytes of the cache that each worker has to itself; 0 where planning for it gains nothing.
    var workerCacheByteCount: Int { get }
    /// Whether the backend runs only what no other backend runs, regardless of expected times.
    var isLastResort: Bool { get }
    /// The device in whose memory the lowerings read and write; nil for the processor.
    var device: (any Device)? { get }
    /// Which values between steps are stored in bfloat16, of those that their steps read and write so.
    var bfloat16Values: BFloat16Values { get }
}

/// Which values between steps are stored in bfloat16.
package enum BFloat16Values: Sendable {
    case none
    /// Those that every reader rounds anyway, so that no bit changes.
    case roundedByReaders
    case all
}

extension Backend {
    package var measurementKey: String? { nil }
    package var workerCacheByteCount: Int { 0 }
    package var isLastResort: Bool { false }
    package var device: (any Device)? { nil }
    package var bfloat16Values: BFloat16Values { .none }
    var space: MemorySpace { device == nil ? .host : .device }
}
