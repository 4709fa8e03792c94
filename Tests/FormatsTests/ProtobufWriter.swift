/// Writes protobuf fields one by one, so that tests can write invalid files.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ field: Int, _ value: Int64) {
        append(UInt64(field) << 3)
        append(UInt64(bitPattern: value))
    }

    mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
        append(UInt64(field) << 3 | 2)
        append(UInt64(value.count))
        bytes += value
    }

    mutating func string(_ field: Int, _ value: String) {
        bytes(field, Array(value.utf8))
    }

    mutating func float(_ field: Int, _ value: Float) {
        append(UInt64(field) << 3 | 5)
        bytes += littleEndian(value.bitPattern)
    }

    mutating func message(_ field: Int, _ write: (inout ProtobufWriter) -> Void) {
        bytes(field, serialized(write))
    }

    mutating func packed(_ field: Int, _ values: [Int64]) {
        message(field) { writer in for value in values { writer.append(UInt64(bitPattern: value)) } }
    }

    mutating func append(_ serialized: [UInt8]) { bytes += serialized }

    private mutating func append(_ varint: UInt64) {
        var rest = varint
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// A message's bytes.
func serialized(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    write(&writer)
    return writer.bytes
}

/// A number's bytes, least significant first.
func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian, Array.init)
}

/// The bytes of float32 numbers.
func bytes(of values: [Float]) -> [UInt8] {
    values.flatMap { littleEndian($0.bitPattern) }
}
