import CPUBackend
import Formats
import Planning

/// What this build of Apus can use, in order of preference.
public enum Catalog {
    /// The backends, fastest first; the reference comes last and runs every operator.
    package static let backends: [any Backend] = [CPUBackend(), OpenBLASBackend(), ReferenceBackend()]

    /// The backends that are used when none is asked for: ``CPUBackend`` has what ``OpenBLASBackend`` has.
    private static let automaticBackends: [any Backend] = backends.filter { !($0 is OpenBLASBackend) }

    /// The kinds of model files, in the order in which content is tried.
    package static let formats: [any ModelFormat] = [ONNXFormat()]

    /// The kinds of sinks that answers can be written to.
    public static let sinks: [SinkKind] = [.table, .csv, .jsonLines, .numPy, .sqlite]

    /// The kinds of datasets, in the order in which an input is tried.
    public static let datasets: [DatasetKind] = [
        .standardInput, .folder, .manifest, .numPy, .tar, .file,
    ]

    /// A backend as `apus devices` lists it.
    public struct BackendDescription: Sendable, Codable {
        /// The name used in options.
        public let name: String
        /// The device and library versions.
        public let device: String
    }

    /// The backends that are present, fastest first.
    public static var backendDescriptions: [BackendDescription] {
        backends.map { BackendDescription(name: $0.name, device: $0.deviceDescription) }
    }

    /// A set of vector instructions that the kernels have a variant for, as `apus devices` lists it.
    public struct InstructionSetDescription: Sendable, Codable {
        /// Whether a set is used.
        public enum State: String, Sendable, Codable {
            /// The kernels use it.
            case used
            /// Its kernels have passed their tests; another set is used.
            case tested
            /// Its kernels have not passed their tests; used only when asked for.
            case off
        }

        /// The name, as `APUS_INSTRUCTIONS` takes it.
        public let name: String
        /// Whether it is used.
        public let state: State
    }

    /// The instruction sets that this processor and build have, the widest last.
    ///
    /// - Throws: ``ApusError/backend(name:message:)`` when `APUS_INSTRUCTIONS` asks for another.
    public static func instructionSets() throws(ApusError) -> [InstructionSetDescription] {
        try checkInstructions()
        return InstructionSet.available.map { set in
            InstructionSetDescription(
                name: set.rawValue, state: set == .chosen ? .used : set.isTested ? .tested : .off)
        }
    }

    private static func checkInstructions() throws(ApusError) {
        if let refusal = InstructionSet.refusal { throw .backend(name: "cpu", message: refusal) }
    }

    /// Every backend that Apus knows of, in this build or another.
    private static let knownBackendNames = ["cpu", "openblas", "opencl", "reference"]

    /// The known backends that this build does not have.
    public static var absentBackendNames: [String] {
        knownBackendNames.filter { name in !backends.contains { $0.name == name } }
    }

    /// The backends for a preference list; the reference is added at the end.
    ///
    /// - Throws: ``ApusError/backend(name:message:)`` when one is not there, or not with the instructions asked for.
    package static func backends(named names: [BackendName]) throws(ApusError) -> [any Backend] {
        try checkInstructions()
        if names.isEmpty { return automaticBackends }
        var chosen: [any Backend] = []
        for name in names {
            guard let backend = backends.first(where: { $0.name == name.rawValue }) else {
                let present = backends.map(\.name).joined(separator: ", ")
                let isKnown = knownBackendNames.contains(name.rawValue)
                throw .backend(
                    name: name.rawValue,
                    message: isKnown
                        ? "not in this build, which has \(present)"
                        : "there is no such backend; this build has \(present)")
            }
            if !chosen.contains(where: { $0.name == backend.name }) { chosen.append(backend) }
        }
        if !chosen.contains(where: { $0 is ReferenceBackend }) { chosen.append(ReferenceBackend()) }
        return chosen
    }
}
