import Platform

/// The bytes of a trace: a JSON object that is whole after every piece.
struct TraceFile {
    private let file: OutputFile
    /// Whether what stands at the end can be written over; otherwise the end is written when the file is closed.
    private let isSeekable: Bool

    /// What the trace of a command is known by.
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
            // What is refused is cut off whole; the end takes no more room than it had.
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
    /// What happened when, of `--trace`.
    package static func trace(of command: String) -> OutputKind {
        OutputKind(command: command, mark: .bytes(Array(TraceFile.mark(command).utf8), within: 256))
    }
}
