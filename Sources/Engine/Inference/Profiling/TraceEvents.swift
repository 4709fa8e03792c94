import Platform

/// Events of a trace as JSON, separated by commas.
package struct TraceEvents {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private let start: Int64

    /// Makes an empty list of events.
    ///
    /// - Parameters:
    ///   - start: The time from which times are counted.
    ///   - capacity: The expected number of bytes.
    package init(start: Int64, capacity: Int = 0) {
        self.start = start
        bytes.reserveCapacity(capacity)
    }

    /// A text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var json = ""
        json.appendJSON(text)
        return json
    }

    /// The bytes with which every slice of a track begins.
    static func slicePrefix(process: Int, track: Int) -> [UInt8] {
        Array("{\"ph\":\"X\",\"pid\":\(process),\"tid\":\(track),\"ts\":".utf8)
    }

    /// Adds a slice of time.
    ///
    /// - Parameters:
    ///   - prefix: The bytes of ``slicePrefix(process:track:)``.
    ///   - fields: The event's other fields, from ``fields(name:category:arguments:)``.
    mutating func slice(_ prefix: [UInt8], from begin: Int64, to end: Int64, _ fields: [UInt8]) {
        separate()
        bytes += prefix
        append(microseconds: max(0, begin - start))
        append(",\"dur\":")
        append(microseconds: max(0, end - begin))
        bytes += fields
        close()
    }

    /// The other fields of a slice.
    package static func fields(name: String, category: String, arguments: [(String, String)] = []) -> [UInt8] {
        var text = ",\"name\":" + quoted(name) + ",\"cat\":" + quoted(category)
        if !arguments.isEmpty {
            text += ",\"args\":{" + arguments.map { quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
        }
        return Array(text.utf8)
    }

    /// Adds values that are drawn over time.
    package mutating func counter(process: Int, _ name: String, at time: Int64, _ values: [(String, Int)]) {
        open("{\"ph\":\"C\",\"pid\":", process, nil)
        append(",\"ts\":")
        append(microseconds: max(0, time - start))
        append(",\"name\":" + Self.quoted(name) + ",\"args\":{")
        append(values.map { Self.quoted($0.0) + ":\($0.1)" }.joined(separator: ","))
        append("}")
        close()
    }

    /// Adds the name of a group of tracks.
    package mutating func name(process: Int, _ name: String) {
        open("{\"ph\":\"M\",\"pid\":", process, nil)
        append(",\"name\":\"process_name\",\"args\":{\"name\":" + Self.quoted(name) + "}")
        close()
    }

    /// Adds the name of a track and its position among the tracks.
    package mutating func name(track: Int, process: Int, _ name: String, position: Int) {
        open("{\"ph\":\"M\",\"pid\":", process, track)
        append(",\"name\":\"thread_name\",\"args\":{\"name\":" + Self.quoted(name) + "}")
        close()
        open("{\"ph\":\"M\",\"pid\":", process, track)
        append(",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":\(position)}")
        close()
    }

    private mutating func open(_ beginning: StaticString, _ process: Int, _ track: Int?) {
        separate()
        append(beginning)
        append(decimal: process)
        guard let track else { return }
        append(",\"tid\":")
        append(decimal: track)
    }

    private mutating func separate() {
        if count > 0 { append(",\n") }
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

    /// Appends nanoseconds as microseconds with three decimals.
    private mutating func append(microseconds nanoseconds: Int64) {
        append(decimal: Int(nanoseconds / 1000))
        let rest = Int(nanoseconds % 1000)
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(rest / 100))
        bytes.append(UInt8(ascii: "0") + UInt8(rest / 10 % 10))
        bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
    }
}
