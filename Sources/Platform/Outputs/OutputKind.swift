/// What a command writes, and how a file shows that an earlier run of the same command made it. Each kind is a static member
/// in the room that writes it.
package struct OutputKind: Sendable {
    /// What a file is known by.
    package enum Mark: Sendable {
        /// Bytes among the first of the file.
        case bytes([UInt8], within: Int)
        /// What lies beside the file, whose path is the argument.
        case sideFile(isPresent: @Sendable (_ path: String) -> Bool)
    }

    /// The command, without `apus`.
    package let command: String
    package let mark: Mark
    /// What the names of files end in that are written beside the output.
    package let sideSuffixes: [String]
    /// Whether the file is written where it lies, not put in the place of the one that is there.
    package let isWrittenInPlace: Bool

    package init(command: String, mark: Mark, sideSuffixes: [String] = [], isWrittenInPlace: Bool = false) {
        self.command = command
        self.mark = mark
        self.sideSuffixes = sideSuffixes
        self.isWrittenInPlace = isWrittenInPlace
    }
}
