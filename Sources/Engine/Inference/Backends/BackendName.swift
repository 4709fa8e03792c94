import CPUBackend

/// The name of a backend, as options and the command line write it.
public struct BackendName: Sendable, Hashable, CustomStringConvertible {
    /// The name, such as `cpu`.
    public let rawValue: String

    /// Makes a name. Whether such a backend exists is checked when a session starts.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Apus's own kernels on the processor.
    public static let cpu = BackendName("cpu")
    /// OpenBLAS for every matrix product, and kernels for the rest, on the processor. The library is found at run time;
    /// without it a session refuses this backend.
    public static let openblas = BackendName("openblas")
    /// Kernels on an OpenCL device, such as a GPU.
    public static let opencl = BackendName("opencl")
    /// The plain evaluation of every operator; slow.
    public static let reference = BackendName("reference")

    public var description: String { rawValue }
}
