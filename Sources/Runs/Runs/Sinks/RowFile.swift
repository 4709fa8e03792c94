import Platform

/// A file of rows, with the checksum of its content.
///
/// Not safe for concurrent use.
package final class RowFile {
    private let output: OutputFile
    private let isStandardOutput: Bool
    private(set) var checksum: Checksum

    /// - Parameter checksum: The checksum of the bytes that the file already holds.
    package init(_ output: OutputFile, checksum: Checksum = Checksum()) {
        self.output = output
        self.checksum = checksum
        isStandardOutput = false
    }

    /// Makes a file that is the process's standard output, which stays open.
    package init() {
        output = .standardOutput()
        checksum = Checksum()
        isStandardOutput = true
    }

    /// The path, or `standard output`.
    package var name: String { output.name }

    /// Whether the output is a terminal.
    package var isTerminal: Bool { output.isTerminal }

    /// The length of the file in bytes.
    package var byteCount: Int { output.byteCount }

    /// Writes a piece, such as a row, without buffering. Throws the errors of `OutputFile`.
    package func write(_ piece: String) throws(OutputError) {
        try output.write(piece)
        checksum.add(piece)
    }

    /// Writes bytes without buffering. Throws the errors of `OutputFile`.
    package func write(bytes: [UInt8]) throws(OutputError) {
        try output.write(numbers: bytes)
        checksum.add(numbers: bytes)
    }

    /// Waits until all data is on the disk, if the output is a file. Throws the errors of `OutputFile`.
    package func synchronize() throws(OutputError) { if !isStandardOutput { try output.synchronize() } }

    /// Closes the file; nothing may be written afterwards. Throws the errors of `OutputFile`.
    package func close() throws(OutputError) { try output.close() }

    /// Synchronizes the file to the disk and returns a checkpoint at its end.
    package func commit(state: [String: Int] = [:]) throws(OutputError) -> SinkCheckpoint {
        try synchronize()
        return checkpoint(state: state)
    }

    /// A checkpoint at the end of the file.
    package func checkpoint(state: [String: Int] = [:]) -> SinkCheckpoint {
        SinkCheckpoint(byteCounts: [byteCount], checksums: [checksum.text], state: state)
    }

    /// Synchronizes the file to the disk, closes it, and returns a checkpoint at its end.
    package func finish(state: [String: Int] = [:]) throws(OutputError) -> SinkCheckpoint {
        let checkpoint = try commit(state: state)
        try close()
        return checkpoint
    }
}
