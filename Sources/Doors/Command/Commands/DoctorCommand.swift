import Apus
import ArgumentParser

/// `apus doctor`: checks the machine and the installation.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine and this installation, and say what would help.",
        discussion: """
            EXAMPLES:
              apus doctor
              apus doctor --json

            The processor is measured for about a second, in which nothing else should run.
            Nothing is changed, but the cache folder is made. A note is about something that
            works but could be better, or that only some users need. If there is a problem,
            the exit code is 1.
            """)

    @Flag(help: "Print one JSON document.")
    var json = false

    private struct Report: Encodable {
        let version = Version.current
        let findings: [Finding]
    }

    func run() async throws {
        let findings = try await MachineChecks.findings() + SoftwareChecks.findings()
        if json {
            try StandardOutput.write(json: Report(findings: findings))
        } else {
            try StandardOutput.write(Self.lines(findings))
        }
        if findings.contains(where: { $0.state == .problem }) { throw ExitStatus.doneWithFailures }
    }

    private static func lines(_ findings: [Finding]) -> [String] {
        var table = TextTable([("", .left), ("", .left), ("", .left)])
        for finding in findings {
            table.append([finding.state.rawValue, finding.subject, finding.text])
            if let advice = finding.advice { table.append(["", "", "→ \(advice)"]) }
        }
        let problems = findings.count { $0.state == .problem }
        let summary = problems == 0 ? "no problem was found" : problems == 1 ? "1 problem" : "\(problems) problems"
        return table.lines() + ["", summary]
    }
}
