import Apus
import ArgumentParser

/// `apus devices`: what can run networks here.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the backends and devices that are present.",
        discussion: """
            EXAMPLES:
              apus devices
              apus devices --json
              APUS_INSTRUCTIONS=avx2 apus devices

            APUS_INSTRUCTIONS names the vector instructions that the kernels use, in every
            command; by default the widest that the processor has and that are tested.
            """)

    @Flag(help: "Print one JSON document.")
    var json = false

    private struct Report: Encodable {
        let version: String
        let processors: Int
        let backends: [Catalog.BackendDescription]
        let absent: [Catalog.BackendAbsence]
        let instructions: [Catalog.InstructionSetDescription]
    }

    func run() throws {
        let report = Report(
            version: Version.current, processors: Session.Options.availableThreads,
            backends: Catalog.backendDescriptions, absent: Catalog.absentBackends,
            instructions: try Catalog.instructionSets())
        if json { return try Answer.write(json: report) }
        var table = TextTable([("backend", .left), ("device", .left)])
        for backend in report.backends { table.append([backend.name, backend.device]) }
        for backend in report.absent { table.append([backend.name, backend.reason]) }
        let processors = report.processors == 1 ? "1 processor" : "\(report.processors) processors"
        let instructions = report.instructions.map { "\($0.name) (\($0.state))" }.joined(separator: ", ")
        try Answer.write(
            table.lines() + ["", "instructions: \(instructions)", "\(processors) may be used, apus \(report.version)"])
    }
}
