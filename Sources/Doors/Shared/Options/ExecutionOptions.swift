import Apus
import ArgumentParser
import Logging

extension Precision: ExpressibleByArgument {}

/// The options for backends and the choice of lowerings.
package struct BackendOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            """
            Backends to use: auto, cpu, openblas (where that library is there), opencl or reference, or several \
            separated by commas, preferred first. With opencl alone, every layer with a kernel for the device runs there; \
            with further backends, only layers that are expected to be faster there.
            """, valueName: "list"), completion: .list(["auto"] + Catalog.backendNames))
    package var backend = "auto"

    @Option(
        help: ArgumentHelp(
            "The OpenCL device: its number in apus devices, from 0, or a part of its name.",
            valueName: "number|name"))
    package var device: String?

    @Option(
        help: ArgumentHelp(
            """
            The precision to which operands of convolutions and matrix products may be rounded: f32 (no rounding), \
            bf16 (on processors with AVX-512 BF16 or Arm's BF16, except in the last layer; as bf16-weights where the \
            processor multiplies it no faster than f32), bf16-weights or f16-weights (weights alone, where reading them \
            takes longest), auto (bf16, or f16 where that is faster, in the layers that apus tune --calibrate chose), \
            tf32 or f16 (on tensor cores of a GPU, if it has them; f16 also on processors with AVX512-FP16 or Arm's \
            FP16, except in the last layer; other processors compute in f32).
            """, valueName: "name"))
    package var precision = Precision.f32

    @Option(
        help: ArgumentHelp(
            """
            The vector instructions of the kernels, one of those in apus devices, such as avx2 (default: that of the \
            variable APUS_INSTRUCTIONS, or else the widest ones). Machines with other processors give the same \
            bits with the same instructions.
            """, valueName: "name"))
    package var instructions: String?

    @Option(
        help: ArgumentHelp(
            "The file of the times that apus tune measures (default: apus/tuning.json in the user's cache folder).",
            valueName: "file"), completion: .file())
    package var tuningFile: String?

    @Flag(help: "Choose kernels by expected times, not by those that apus tune measured.")
    package var noTuning = false

    @Option(
        help: ArgumentHelp(
            "The maximum processor time of a network's loops in one run, in seconds.", valueName: "count"))
    package var loopSeconds = 4

    package func validate() throws {
        try ExecutionOptions.check(loopSeconds, "--loop-seconds", atMost: 1_000_000)
        if noTuning, tuningFile != nil { throw ValidationError("--no-tuning and --tuning-file exclude each other") }
        if tuningFile == "" { throw ValidationError("--tuning-file needs the name of a file") }
    }

    /// The options of a session.
    ///
    /// - Parameters:
    ///   - threads: The number of threads; nil for one per available processor.
    ///   - logger: The logger for messages about failing devices.
    package func sessionOptions(
        threads: Int?, streams: Int = 1, logger: Logger = Logger(label: "apus")
    ) throws(ApusError) -> Session.Options {
        let names = backend.split(separator: ",", omittingEmptySubsequences: false).map { word in
            String(word.drop { $0 == " " }).lowercased()
        }
        guard !names.contains("") else { throw .usage("--backend \"\(backend)\" has an empty name in it") }
        if let instructions { try Catalog.useInstructions(instructions, origin: "--instructions") }
        let isAutomatic = names == ["auto"]
        guard isAutomatic || !names.contains("auto") else {
            throw .usage("--backend auto stands alone, without other names")
        }
        return Session.Options(
            backends: isAutomatic ? [] : names.map(BackendName.init),
            device: device, threads: threads ?? Session.Options.availableThreads,
            streams: streams, precision: precision, loopDuration: .seconds(loopSeconds),
            tuning: noTuning ? .none : tuningFile.map(TuningSource.file) ?? .cached,
            logger: logger)
    }
}

/// The options for backends and threads.
package struct ExecutionOptions: ParsableArguments {
    package init() {}

    /// The maximum number of threads, and of streams.
    package static let maximumThreads = 1024

    @OptionGroup package var backends: BackendOptions

    @Option(help: "Processor threads (default: one per available processor).")
    package var threads: Int?

    package func validate() throws {
        if let threads { try Self.check(threads, "--threads", atMost: Self.maximumThreads) }
    }

    /// The options of a session.
    ///
    /// - Parameter logger: The logger for messages about failing devices.
    package func sessionOptions(streams: Int = 1, logger: Logger = Logger(label: "apus")) throws(ApusError)
        -> Session.Options
    {
        try backends.sessionOptions(threads: threads, streams: streams, logger: logger)
    }

    package static func check(_ value: Int, _ option: String, from minimum: Int = 1, atMost maximum: Int = .max) throws
    {
        guard value >= minimum else { throw ValidationError("\(option) must be at least \(minimum), not \(value)") }
        guard value <= maximum else { throw ValidationError("\(option) must be at most \(maximum), not \(value)") }
    }
}
