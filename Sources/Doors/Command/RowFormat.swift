import ArgumentParser
import FoundationEssentials
import Glibc

/// The forms in which commands print rows that go to no file.
enum RowFormat: String, CaseIterable, ExpressibleByArgument {
    case table, csv, jsonl

    /// A table on a terminal, otherwise JSON Lines.
    static var customary: RowFormat { isatty(STDOUT_FILENO) == 1 ? .table : .jsonl }
}
