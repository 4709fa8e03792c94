import Platform

/// A file that rows are written to, with the checksum of all that it holds.
///
/// Not safe for concurrent use.
package final class RowFile {
    private let output: OutputFile
    private let isStandardOutput: Bool
    private(set) var checksum: Checksum

    /// - Parameter checksum: That of the bytes which the file holds already.
    package init(_ output: OutputFile, checksum: Checksum = Checksum()) {
        self.output = output
        self.checksum = checksum
        isStandardOutput = false
    }

    /// The standard output of the process, which stays open.
    package init() {
        output = .standardOutput()
        checksum = Checksum()
        isStandardOutput = true
    }

    /// The path, or `standard output`.
    package var name: String { output.name }

    /// Whether people watch the output.
    package var isTerminal: Bool { output.isTerminal }

    /// How many bytes the file holds.
    package var byteCount: Int { output.byteCount }

    /// Writes a piece, such as a row, at once; errors as those of `OutputFile`.
    package func write(_ piece: String) throws(OutputError) {
        try output.write(piece)
        checksum.add(piece)
    }

    /// Writes a piece of bytes at once; errors as those of `OutputFile`.
    package func write(bytes: [UInt8]) throws(OutputError) {
        try output.write(numbers: bytes)
        checksum.add(numbers: bytes)
    }

    /// Waits until everything written is on the disk, where the output is a file; errors as those of `OutputFile`.
    package func synchronize() throws(OutputError) { if !isStandardOutput { try output.synchronize() } }

    /// Closes the file; nothing may be written afterwards. Errors as those of `OutputFile`.
    package func close() throws(OutputError) { try output.close() }

    /// Puts everything on the disk and says where the file ends.
    package func commit(state: [String: Int] = [:]) throws(OutputError) -> SinkCheckpoint {
        try synchronize()
        return checkpoint(state: state)
    }

    /// Where the file ends.
    package func checkpoint(state: [String: Int] = [:]) -> SinkCheckpoint {
        SinkCheckpoint(byteCounts: [byteCount], checksums: [checksum.text], state: state)
    }

    /// Puts everything on the disk, closes the file, and says where it ends.
    package func finish(state: [String: Int] = [:]) throws(OutputError) -> SinkCheckpoint {
        let checkpoint = try commit(state: state)
        try close()
        return checkpoint
    }
}
