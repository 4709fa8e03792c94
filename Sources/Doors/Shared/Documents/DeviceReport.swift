import Apus

/// The processor, the backends and the devices: the document of `apus devices`.
package struct DeviceReport: Encodable {
    package let version: String
    package let processors: Int
    package let backends: [Catalog.BackendDescription]
    package let absent: [Catalog.BackendAbsence]
    package let instructions: [Catalog.InstructionSetDescription]

    /// - Throws: ``ApusError/backend(name:message:)`` when an instruction set that was asked for is not available.
    package init() throws(ApusError) {
        version = Version.current
        processors = Session.Options.availableThreads
        backends = Catalog.backendDescriptions
        absent = Catalog.absentBackends
        instructions = try Catalog.instructionSets()
    }
}
