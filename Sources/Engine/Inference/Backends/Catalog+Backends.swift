import CPUBackend
import Formats
import Models
import OpenCLBackend
import Planning
import Platform

extension Catalog {
    /// A backend of the processor by its name, or nil where there is none; the reference runs every operator. Each of
    /// ``openCLDevices`` is a backend of its own.
    ///
    /// - Parameter mayHaveDevice: Whether a device may compute in the precision instead.
    /// - Throws: ``ApusError/backend(name:message:)`` when the backend needs a library that is not there.
    static func processorBackend(
        _ name: BackendName, _ precision: Precision = .f32, mayHaveDevice: Bool = false
    ) throws(ApusError) -> (any Backend)? {
        switch name {
        case .cpu: return try processor(precision, mayHaveDevice: mayHaveDevice)
        case .openblas:
            do { return try OpenBLASBackend.system.get() } catch {
                throw .backend(name: name.rawValue, message: error.description)
            }
        case .reference: return ReferenceBackend()
        default: return nil
        }
    }

    /// The backend of Apus's own kernels.
    ///
    /// - Parameter mayHaveDevice: Whether a device may compute in the precision; the processor then computes in float32
    ///   where it cannot, and the precision is one of devices, too.
    /// - Throws: ``ApusError/backend(name:message:)`` when the processor does not have the precision.
    package static func processor(_ precision: Precision, mayHaveDevice: Bool = false) throws(ApusError) -> CPUBackend {
        let instructionSet = InstructionSet.chosen
        let rounded = precision == .automatic ? CPUBackend.fastestPrecision : precision.ofProcessor
        guard rounded.isSupported(by: instructionSet) else {
            if mayHaveDevice, precision.ofProducts != .float32 { return CPUBackend(instructionSet: instructionSet) }
            throw .backend(
                name: BackendName.cpu.rawValue,
                message: "\(precision.rawValue) needs \(precision.requirement); the "
                    + "kernels here are of \(instructionSet.rawValue) on \(ProcessorInformation.modelName)")
        }
        return CPUBackend(instructionSet: instructionSet, precision: rounded, roundingGain: .ofProcessor)
    }

    private static let processorBackendNames: [BackendName] = [.cpu, .openblas, .reference]

    /// The devices of OpenCL, or what is missing; found at the first use.
    package static let openCLDevices: Result<[OpenCLDevice], OpenCLLibrary.Absence> =
        OpenCLLibrary.system.flatMap { library in
            Result { () throws(OpenCLLibrary.Absence) in try OpenCLDevice.all(library) }
        }

    /// The names of all backends, as options take them.
    public static var backendNames: [String] { (processorBackendNames + [.opencl]).map(\.rawValue) }

    /// A backend as `apus devices` lists it.
    public struct BackendDescription: Sendable, Codable {
        /// The name used in options.
        public let name: String
        /// The device and library versions.
        public let device: String
    }

    /// The backends that are available, those of the processor first. Each OpenCL device has an entry, in the order of
    /// the numbers that ``Session/Options/device`` takes.
    public static var backendDescriptions: [BackendDescription] {
        let devices = (try? openCLDevices.get()) ?? []
        return processorBackendNames.compactMap { try? processorBackend($0) }
            .map { BackendDescription(name: $0.name, device: $0.deviceDescription) }
            + devices.map { BackendDescription(name: BackendName.opencl.rawValue, device: $0.information.description) }
    }

    /// A backend that cannot be used here, as `apus devices` lists it.
    public struct BackendAbsence: Sendable, Codable {
        /// The name used in options.
        public let name: String
        /// What is missing.
        public let reason: String
    }

    /// The backends that cannot be used here, and the drivers of OpenCL that are not loaded.
    public static var absentBackends: [BackendAbsence] {
        let reasons: [(BackendName, String?)] = [(.openblas, openBLASAbsence), (.opencl, openCLAbsence)]
        return reasons.compactMap { name, reason in reason.map { BackendAbsence(name: name.rawValue, reason: $0) } }
    }

    /// Whether OpenBLAS is there, which is looked for at the first use.
    package static var hasOpenBLAS: Bool { openBLASAbsence == nil }

    private static var openBLASAbsence: String? {
        if case .failure(let absence) = OpenBLASBackend.system { absence.description } else { nil }
    }

    private static var openCLAbsence: String? {
        switch openCLDevices {
        case .failure(let absence): absence.description
        case .success: try? OpenCLLibrary.system.get().refusal
        }
    }

    /// A set of vector instructions for which the kernels have a variant, as `apus devices` lists it.
    public struct InstructionSetDescription: Sendable, Codable {
        /// Whether a set is used.
        public enum State: String, Sendable, Codable {
            /// The kernels use it.
            case used
            /// Its kernels have passed their tests; another set is used.
            case tested
            /// No set has this state any more: all have passed their tests.
            case off
        }

        /// The name, as ``Catalog/useInstructions(_:)`` takes it.
        public let name: String
        /// Whether it is used.
        public let state: State
    }

    /// The instruction sets that this processor and this build have, the widest last.
    ///
    /// - Throws: ``ApusError/backend(name:message:)`` when `APUS_INSTRUCTIONS` names another.
    public static func instructionSets() throws(ApusError) -> [InstructionSetDescription] {
        try checkInstructions()
        return InstructionSet.available.map { set in
            InstructionSetDescription(
                name: set.rawValue, state: set == .chosen ? .used : .tested)
        }
    }

    /// The name of the set whose kernels compute in a precision: ``useInstructions(_:)`` with it gives the same bits on
    /// another machine.
    package static func instructions(computingIn precision: Precision) -> String {
        let rounded = precision == .automatic ? CPUBackend.fastestPrecision : precision.ofProcessor
        return InstructionSet.chosen.computing(in: rounded).rawValue
    }

    /// Chooses the vector instructions of the kernels, for the whole process, instead of the environment variable
    /// `APUS_INSTRUCTIONS`: machines with other processors give the same bits with the same set.
    ///
    /// - Parameter name: A set of ``instructionSets()``, such as `avx2`.
    /// - Throws: ``ApusError/backend(name:message:)`` when this processor or this build does not have the set, or when
    ///   the process uses another already.
    public static func useInstructions(_ name: String) throws(ApusError) {
        try useInstructions(name, origin: "the caller")
    }

    package static func useInstructions(_ name: String, origin: String) throws(ApusError) {
        if let refusal = InstructionSet.ask(for: name, origin: origin) { throw .backend(name: "cpu", message: refusal) }
    }

    static func checkInstructions() throws(ApusError) {
        if let refusal = InstructionSet.refusal { throw .backend(name: "cpu", message: refusal) }
    }
}
