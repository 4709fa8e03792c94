import Apus
import ArgumentParser
import SharedOptions

/// `apus devices`: lists backends and devices.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the backends and devices that are present.",
        discussion: """
            EXAMPLES:
              apus devices
              apus devices --json
              APUS_INSTRUCTIONS=avx2 apus devices

            --instructions of the commands that compute, or the variable APUS_INSTRUCTIONS in
            every command, chooses the vector instructions of the kernels. By default these
            are the widest tested ones of the processor.
            """)

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() throws {
        let report = try DeviceReport()
        if json { return try StandardOutput.write(json: report) }
        var table = TextTable([("backend", .left), ("device", .left)])
        for backend in report.backends { table.append([backend.name, backend.device]) }
        for backend in report.absent { table.append([backend.name, backend.reason]) }
        let processors = report.processors == 1 ? "1 processor" : "\(report.processors) processors"
        let instructions = report.instructions.map { "\($0.name) (\($0.state))" }.joined(separator: ", ")
        try StandardOutput.write(
            table.lines() + ["", "instructions: \(instructions)", "\(processors) may be used, apus \(report.version)"])
    }
}
