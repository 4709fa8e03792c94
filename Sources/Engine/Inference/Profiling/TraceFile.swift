import Platform

/// The file of a trace: a JSON object that is complete after every piece.
struct TraceFile {
    private let file: OutputFile
    /// Whether the end of the object can be overwritten; otherwise it is written when the file is closed.
    private let isSeekable: Bool

    /// The text by which the trace of a command is recognised.
    static func mark(_ command: String) -> String { "\"otherData\":{\"generator\":\"apus \(command)\"}" }

    private static let end = Array("\n]}\n".utf8)

    init(path: String, command: String) throws(OutputError) {
        file = try OutputFile.opened(newAt: path)
        isSeekable = file.isSeekable
        try file.write("{\"displayTimeUnit\":\"ms\",\(Self.mark(command)),\"traceEvents\":[\n")
        if isSeekable { try write(Self.end) }
    }

    var byteCount: Int { file.byteCount }

    /// Writes events before the end of the object.
    func append(_ events: [UInt8]) throws(OutputError) {
        guard isSeekable else { return try write(events) }
        do throws(OutputError) {
            try file.truncate(by: Self.end.count)
            try write(events + Self.end)
        } catch {
            // A refused piece is removed whole; the end of the object takes no more room than before.
            try? write(Self.end)
            throw error
        }
    }

    func close() throws(OutputError) {
        if !isSeekable { try write(Self.end) }
        try file.close()
    }

    private func write(_ bytes: [UInt8]) throws(OutputError) {
        try file.write(numbers: bytes)
    }
}

extension OutputKind {
    /// The trace that `--trace` writes.
    package static func trace(of command: String) -> OutputKind {
        OutputKind(command: command, mark: .bytes(Array(TraceFile.mark(command).utf8), within: 256))
    }
}
