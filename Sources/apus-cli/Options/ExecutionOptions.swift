import Apus
import ArgumentParser
import Logging

extension Precision: ExpressibleByArgument {}

/// Which backends run the network, and what layers are chosen by.
struct BackendOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Backends to use: auto, cpu (SIMD kernels and OpenBLAS together), openblas, opencl or reference, or several \
            with commas, preferred first. With opencl alone every layer that has a kernel runs on the device, with \
            others beside it those that are expected to be faster there.
            """, valueName: "list"), completion: .list(["auto"] + Catalog.backendNames))
    var backend = "auto"

    @Option(
        help: ArgumentHelp(
            "The device of OpenCL: its number in apus devices, from 0, or a part of its name.",
            valueName: "number|name"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            """
            What a GPU may round the operands of matrix products to: f32 (not at all), tf32 or f16 (on tensor cores, \
            where the device has them). The processor computes in f32.
            """, valueName: "name"))
    var precision = Precision.f32

    @Option(
        help: ArgumentHelp(
            "Where the times are kept that apus tune measures (default: apus/tuning.json in the user's cache folder).",
            valueName: "file"), completion: .file())
    var tuningFile: String?

    @Flag(help: "Choose layers by expected times, not by those that apus tune measured.")
    var noTuning = false

    @Option(
        help: ArgumentHelp(
            "Seconds of a processor that the loops in a network may take in one run.", valueName: "count"))
    var loopSeconds = 4

    func validate() throws {
        try ExecutionOptions.check(loopSeconds, "--loop-seconds", atMost: 1_000_000)
        if noTuning, tuningFile != nil { throw ValidationError("--no-tuning and --tuning-file exclude each other") }
        if tuningFile == "" { throw ValidationError("--tuning-file needs the name of a file") }
    }

    /// The options of a session.
    ///
    /// - Parameters:
    ///   - threads: Nil for the processors this process may use.
    ///   - logger: Where a session says when a device fails.
    func sessionOptions(
        threads: Int?, streams: Int = 1, logger: Logger = Logger(label: "apus")
    ) throws(ApusError) -> Session.Options {
        let names = backend.split(separator: ",", omittingEmptySubsequences: false).map { word in
            String(word.drop { $0 == " " }).lowercased()
        }
        guard !names.contains("") else { throw .usage("--backend \"\(backend)\" has an empty name in it") }
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

/// Which backends run the network, and on how many threads.
struct ExecutionOptions: ParsableArguments {
    /// The most threads, and the most streams.
    static let mostThreads = 1024

    @OptionGroup var backends: BackendOptions

    @Option(help: "Processor threads (default: the processors this process may use).")
    var threads: Int?

    func validate() throws {
        if let threads { try Self.check(threads, "--threads", atMost: Self.mostThreads) }
    }

    /// The options of a session.
    ///
    /// - Parameter logger: Where a session says when a device fails.
    func sessionOptions(streams: Int = 1, logger: Logger = Logger(label: "apus")) throws(ApusError) -> Session.Options {
        try backends.sessionOptions(threads: threads, streams: streams, logger: logger)
    }

    static func check(_ value: Int, _ option: String, from least: Int = 1, atMost most: Int = .max) throws {
        guard value >= least else { throw ValidationError("\(option) must be at least \(least), not \(value)") }
        guard value <= most else { throw ValidationError("\(option) must be at most \(most), not \(value)") }
    }
}
