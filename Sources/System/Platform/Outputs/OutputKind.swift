/// What a command writes, and how a file shows that an earlier run of the same command made it. Each kind is a static
/// member in the module that writes it.
package struct OutputKind: Sendable {
    /// How a file is recognised.
    package enum Mark: Sendable {
        /// Bytes that occur among the first `within` bytes of the file.
        case bytes([UInt8], within: Int)
        /// Another file beside it; `isPresent` is given the path of the file itself.
        case sideFile(isPresent: @Sendable (_ path: String) -> Bool)
    }

    /// The command, without `apus`.
    package let command: String
    package let mark: Mark
    /// The suffixes of files that are written beside the output.
    package let sideSuffixes: [String]
    /// Whether the file is written in place, rather than replaced when it is complete.
    package let isWrittenInPlace: Bool

    package init(command: String, mark: Mark, sideSuffixes: [String] = [], isWrittenInPlace: Bool = false) {
        self.command = command
        self.mark = mark
        self.sideSuffixes = sideSuffixes
        self.isWrittenInPlace = isWrittenInPlace
    }
}
