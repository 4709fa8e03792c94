import Apus
import ArgumentParser

/// The file of `--report`, or of another option for an additional output.
enum ReportFile {
    /// Refuses text that is not the name of a file.
    static func check(_ path: String?, option: String = "--report") throws {
        if path == "" || path == "-" { throw ValidationError("\(option) needs the name of a file") }
    }
}
