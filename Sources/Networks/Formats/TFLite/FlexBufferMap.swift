import Tensors

/// The numbers and the lists of numbers of a map in the FlexBuffers encoding, by key. Every offset and length is
/// checked before it is used. A list is read when it is asked for, because many keys may share one.
///
/// Reference: https://flatbuffers.dev/internals/ (FlexBuffers)
struct FlexBufferMap {
    /// Numbers and Booleans (as 0 and 1) by key, without entries of other types.
    let numbers: [String: Double]
    /// The places of entries of other types by key. Several keys may share one.
    private let places: [String: (position: Int, width: Int, type: Int)]
    private let reader: FlexBufferReader
    /// The memory that all lists would take.
    private let claim: MemoryClaim

    private static let maximumEntryCount = 256
    private static let maximumKeyByteCount = 256
    private static let maximumListCount = 1 << 16

    /// Reads a map.
    ///
    /// - Throws: ``FormatError/invalid(_:)`` when the bytes are not a map, or an offset points outside them.
    init(_ content: ArraySlice<UInt8>) throws(FormatError) {
        let reader = FlexBufferReader(bytes: Array(content))
        guard reader.bytes.count >= 3 else { throw reader.damaged }
        let (kind, rootWidth) = (reader.bytes[reader.bytes.count - 2], Int(reader.bytes[reader.bytes.count - 1]))
        guard kind >> 2 == FlexBufferReader.map else { throw .invalid("its options are no map") }
        let root = try reader.target(of: reader.bytes.count - 2 - rootWidth, width: rootWidth)
        let width = 1 << Int(kind & 3)
        let count = try reader.count(root - width, width: width)
        guard count <= Self.maximumEntryCount else { throw .invalid("its options have \(count) entries") }
        let keys = try reader.target(of: root - 3 * width, width: width)
        let keyWidth = try reader.count(root - 2 * width, width: width)
        var numbers: [String: Double] = [:]
        var places: [String: (position: Int, width: Int, type: Int)] = [:]
        var listed = 0
        for entry in 0..<count {
            let start = try reader.target(of: keys + entry * keyWidth, width: keyWidth)
            let text = reader.bytes[start...].prefix(Self.maximumKeyByteCount + 1).prefix { $0 != 0 }
            guard text.count <= Self.maximumKeyByteCount, let key = String(validating: text, as: UTF8.self) else {
                throw reader.damaged
            }
            let type = Int(try reader.unsigned(root + count * width + entry, width: 1))
            numbers[key] = try reader.number(root + entry * width, width: width, type: type)
            if numbers[key] == nil {
                places[key] = (root + entry * width, width, type)
                let count = try reader.listCount(root + entry * width, width: width, type: type)
                guard count <= Self.maximumListCount else {
                    throw FlexBufferReader.tooLong(count, Self.maximumListCount)
                }
                listed += count
            }
        }
        do throws(TensorError) {
            claim = try MemoryClaim(listed * MemoryLayout<Double>.size)
        } catch {
            throw FormatError(error)
        }
        (self.numbers, self.places, self.reader) = (numbers, places, reader)
    }

    /// The list of numbers of a key; nil when there is none. Elements of other types are left out.
    ///
    /// - Throws: ``FormatError/invalid(_:)`` when the list is damaged or too long.
    func list(_ key: String) throws(FormatError) -> [Double]? {
        guard let place = places[key] else { return nil }
        return try reader.list(
            place.position, width: place.width, type: place.type, atMost: Self.maximumListCount)
    }
}

private struct FlexBufferReader {
    static let map: UInt8 = 9
    let bytes: [UInt8]

    static func tooLong(_ count: Int, _ limit: Int) -> FormatError {
        .invalid("an option lists \(count) numbers, more than \(limit)")
    }

    var damaged: FormatError { .invalid("its options are damaged") }

    /// The number of `width` bytes at a position.
    func unsigned(_ position: Int, width: Int) throws(FormatError) -> UInt64 {
        guard [1, 2, 4, 8].contains(width), position >= 0, position <= bytes.count - width else { throw damaged }
        return (0..<width).reduce(0) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
    }

    /// A length, which cannot exceed that of the bytes.
    func count(_ position: Int, width: Int) throws(FormatError) -> Int {
        let number = try unsigned(position, width: width)
        guard number <= UInt64(bytes.count) else { throw damaged }
        return Int(number)
    }

    /// The position to which an offset points; offsets count backwards.
    func target(of position: Int, width: Int) throws(FormatError) -> Int {
        let offset = try count(position, width: width)
        guard offset <= position else { throw damaged }
        return position - offset
    }

    /// The number at a position, or at the target of an offset there; nil for a value of another type.
    func number(_ position: Int, width: Int, type: Int) throws(FormatError) -> Double? {
        switch type >> 2 {
        case 1, 2, 3: return try scalar(position, width: width, kind: type >> 2)
        case 6, 7, 8:
            return try scalar(try target(of: position, width: width), width: 1 << (type & 3), kind: type >> 2 - 5)
        case 26: return try unsigned(position, width: width) == 0 ? 0 : 1
        default: return nil
        }
    }

    /// The number of elements of the list at the target of an offset; 0 for a value of another type.
    func listCount(_ position: Int, width: Int, type: Int) throws(FormatError) -> Int {
        guard (10...13).contains(type >> 2) else { return 0 }
        let start = try target(of: position, width: width)
        return try count(start - (1 << (type & 3)), width: 1 << (type & 3))
    }

    /// The list at the target of an offset; nil for a value of another type.
    ///
    /// Lists of types 11 to 13 have elements of one kind; those of type 10 have the elements' types behind them.
    func list(_ position: Int, width: Int, type: Int, atMost limit: Int) throws(FormatError) -> [Double]? {
        guard (10...13).contains(type >> 2) else { return nil }
        let start = try target(of: position, width: width)
        let width = 1 << (type & 3)
        let count = try count(start - width, width: width)
        guard count <= limit else { throw Self.tooLong(count, limit) }
        var numbers: [Double] = []
        for index in 0..<count {
            let place = start + index * width
            if type >> 2 != 10 {
                numbers.append(try scalar(place, width: width, kind: type >> 2 - 10))
            } else {
                let type = Int(try unsigned(start + count * width + index, width: 1))
                if let element = try number(place, width: width, type: type) { numbers.append(element) }
            }
        }
        return numbers
    }

    private func scalar(_ position: Int, width: Int, kind: Int) throws(FormatError) -> Double {
        let bits = try unsigned(position, width: width)
        switch (kind, width) {
        case (1, _):
            let shift = UInt64(64 - 8 * width)
            return Double(Int64(bitPattern: bits << shift) >> Int64(shift))
        case (2, _): return Double(bits)
        case (_, 4): return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case (_, 8): return Double(bitPattern: bits)
        default: throw damaged
        }
    }
}
