/// Events of a trace as JSON, separated by commas.
struct TraceEvents {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private let start: Int64

    /// - Parameter start: What times are counted from.
    init(start: Int64) { self.start = start }

    /// Text that has to stand in JSON.
    static func quoted(_ text: String) -> String {
        var json = ""
        json.appendJSON(text)
        return json
    }

    /// A slice of time.
    ///
    /// - Parameters:
    ///   - tail: The event's other fields, as JSON that begins with a comma.
    mutating func slice(process: Int, track: Int, from begin: Int64, to end: Int64, _ tail: [UInt8]) {
        open("{\"ph\":\"X\",\"pid\":", process, track)
        append(",\"ts\":")
        append(microseconds: max(0, begin - start))
        append(",\"dur\":")
        append(microseconds: max(0, end - begin))
        bytes += tail
        close()
    }

    /// The other fields of a slice.
    static func fields(name: String, category: String, arguments: [(String, String)] = []) -> [UInt8] {
        var text = ",\"name\":" + quoted(name) + ",\"cat\":" + quoted(category)
        if !arguments.isEmpty {
            text += ",\"args\":{" + arguments.map { quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
        }
        return Array(text.utf8)
    }

    /// Values that are drawn over time.
    mutating func counter(process: Int, _ name: String, at time: Int64, _ values: [(String, Int)]) {
        open("{\"ph\":\"C\",\"pid\":", process, nil)
        append(",\"ts\":")
        append(microseconds: max(0, time - start))
        append(",\"name\":" + Self.quoted(name) + ",\"args\":{")
        append(values.map { Self.quoted($0.0) + ":\($0.1)" }.joined(separator: ","))
        append("}")
        close()
    }

    /// The name of a group of tracks.
    mutating func name(process: Int, _ name: String) {
        open("{\"ph\":\"M\",\"pid\":", process, nil)
        append(",\"name\":\"process_name\",\"args\":{\"name\":" + Self.quoted(name) + "}")
        close()
    }

    /// The name of a track, and where it stands among others.
    mutating func name(track: Int, process: Int, _ name: String, position: Int) {
        open("{\"ph\":\"M\",\"pid\":", process, track)
        append(",\"name\":\"thread_name\",\"args\":{\"name\":" + Self.quoted(name) + "}")
        close()
        open("{\"ph\":\"M\",\"pid\":", process, track)
        append(",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":\(position)}")
        close()
    }

    private mutating func open(_ beginning: StaticString, _ process: Int, _ track: Int?) {
        if count > 0 { bytes += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
        append(beginning)
        append(decimal: process)
        guard let track else { return }
        append(",\"tid\":")
        append(decimal: track)
    }

    private mutating func close() {
        bytes.append(UInt8(ascii: "}"))
        count += 1
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Nanoseconds as microseconds with three decimals.
    private mutating func append(microseconds nanoseconds: Int64) {
        append(decimal: Int(nanoseconds / 1000))
        let rest = Int(nanoseconds % 1000)
        bytes.append(UInt8(ascii: "."))
        for digit in [rest / 100, rest / 10 % 10, rest % 10] { bytes.append(UInt8(ascii: "0") + UInt8(digit)) }
    }
}
