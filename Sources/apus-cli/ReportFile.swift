import Apus
import ArgumentParser

/// The file of `--report`, or of another option for what is written beside the answer.
enum ReportFile {
    /// Refuses what is no name of a file.
    static func check(_ path: String?, option: String = "--report") throws {
        if path == "" || path == "-" { throw ValidationError("\(option) needs the name of a file") }
    }
}
