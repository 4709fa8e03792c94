/// A table of a FlatBuffer: fields by number, each of which may be absent.
struct FlatBufferTable {
    private let buffer: FlatBuffer
    private let start: Int
    private let byteCount: Int
    /// The positions of the offsets of fields.
    private let fields: Range<Int>
    /// The table's name in errors.
    let name: String

    /// Makes a table.
    ///
    /// - Throws: ``FormatError/invalid(_:)`` when the table or its list of fields is not within the file.
    init(_ buffer: FlatBuffer, _ start: Int, _ name: String) throws(FormatError) {
        let distance = Int(try buffer.number(at: start, as: Int32.self, name))
        let list = start - distance
        let listByteCount = Int(try buffer.number(at: list, as: UInt16.self, name))
        byteCount = Int(try buffer.number(at: list + 2, as: UInt16.self, name))
        guard listByteCount >= 4, listByteCount % 2 == 0, listByteCount <= buffer.bytes.count - list else {
            throw .invalid("\(name): the list of its fields is damaged")
        }
        guard byteCount >= 4, byteCount <= buffer.bytes.count - start else {
            throw .invalid("\(name) lies partly outside the file")
        }
        fields = list + 4..<list + listByteCount
        self.buffer = buffer
        self.start = start
        self.name = name
    }

    /// The position of a field's bytes; nil when it is absent.
    private func position(_ field: Int, _ size: Int) throws(FormatError) -> Int? {
        let entry = fields.lowerBound + 2 * field
        guard entry < fields.upperBound else { return nil }
        let offset = Int(try buffer.number(at: entry, as: UInt16.self, name))
        if offset == 0 { return nil }
        guard offset >= 4, offset + size <= byteCount else { throw .invalid("\(name): field \(field) lies outside it") }
        return start + offset
    }

    func integer<Number: FixedWidthInteger>(
        _ field: Int, as type: Number.Type, default fallback: Number = 0
    ) throws(FormatError) -> Number {
        guard let position = try position(field, MemoryLayout<Number>.size) else { return fallback }
        return try buffer.number(at: position, as: type, name)
    }

    func int(_ field: Int, default fallback: Int32 = 0) throws(FormatError) -> Int {
        Int(try integer(field, as: Int32.self, default: fallback))
    }

    func byte(_ field: Int) throws(FormatError) -> Int { Int(try integer(field, as: Int8.self)) }

    func bool(_ field: Int, default fallback: Bool = false) throws(FormatError) -> Bool {
        try integer(field, as: UInt8.self, default: fallback ? 1 : 0) != 0
    }

    func float(_ field: Int) throws(FormatError) -> Float {
        Float(bitPattern: try integer(field, as: UInt32.self))
    }

    func table(_ field: Int, _ name: String) throws(FormatError) -> FlatBufferTable? {
        guard let position = try position(field, 4) else { return nil }
        return try buffer.table(at: position, "\(self.name), \(name)")
    }

    /// The tables of a vector; empty when it is absent.
    ///
    /// - Parameter name: The name of such a table in errors.
    func tables(_ field: Int, _ name: String) throws(FormatError) -> [FlatBufferTable] {
        guard let position = try position(field, 4) else { return [] }
        let range = try buffer.vector(at: position, elementByteCount: 4, "\(name)s")
        try buffer.spend(range.count, "\(name)s")
        var tables: [FlatBufferTable] = []
        for entry in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
            tables.append(try buffer.table(at: entry, "\(name) \(tables.count)"))
        }
        return tables
    }

    /// The range of a vector's bytes; nil when it is absent.
    func bytes(_ field: Int) throws(FormatError) -> Range<Int>? {
        guard let position = try position(field, 4) else { return nil }
        return try buffer.vector(at: position, elementByteCount: 1, name)
    }

    /// The numbers of a vector; nil when it is absent.
    func integers<Number: FixedWidthInteger>(_ field: Int, as: Number.Type) throws(FormatError) -> [Number]? {
        guard let position = try position(field, 4) else { return nil }
        let size = MemoryLayout<Number>.size
        let range = try buffer.vector(at: position, elementByteCount: size, name)
        try buffer.spend(range.count, name)
        var numbers: [Number] = []
        numbers.reserveCapacity(range.count / size)
        for entry in stride(from: range.lowerBound, to: range.upperBound, by: size) {
            numbers.append(try buffer.number(at: entry, as: Number.self, name))
        }
        return numbers
    }

    /// A vector of integers that stays in the file; nil when it is absent.
    ///
    /// - Parameter elementByteCount: 1 or 2 for unsigned integers, 4 for signed ones.
    func vector(_ field: Int, elementByteCount: Int) throws(FormatError) -> FlatBufferVector? {
        guard let position = try position(field, 4) else { return nil }
        let range = try buffer.vector(at: position, elementByteCount: elementByteCount, name)
        return FlatBufferVector(
            buffer: buffer, start: range.lowerBound, count: range.count / elementByteCount,
            elementByteCount: elementByteCount, name: name)
    }

    func ints(_ field: Int) throws(FormatError) -> [Int]? { try integers(field, as: Int32.self)?.map(Int.init) }

    func floats(_ field: Int) throws(FormatError) -> [Float]? {
        try integers(field, as: UInt32.self)?.map(Float.init(bitPattern:))
    }

    /// The text of a field; nil when it is absent.
    func string(_ field: Int) throws(FormatError) -> String? {
        guard let range = try bytes(field) else { return nil }
        return try text(range)
    }

    /// The texts of a vector; nil when it is absent.
    func strings(_ field: Int) throws(FormatError) -> [String]? {
        guard let position = try position(field, 4) else { return nil }
        let range = try buffer.vector(at: position, elementByteCount: 4, name)
        try buffer.spend(range.count, name)
        var texts: [String] = []
        for entry in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
            texts.append(try text(try buffer.vector(at: entry, elementByteCount: 1, name)))
        }
        return texts
    }

    private func text(_ range: Range<Int>) throws(FormatError) -> String {
        try buffer.spend(range.count, name)
        guard let text = String(validating: buffer.bytes[range], as: UTF8.self) else {
            throw .invalid("\(name) holds a name that is not UTF-8 text; the file is damaged")
        }
        return text
    }
}

/// A vector of integers that stays in the file.
struct FlatBufferVector {
    fileprivate let buffer: FlatBuffer
    fileprivate let start: Int
    let count: Int
    fileprivate let elementByteCount: Int
    fileprivate let name: String

    /// The integer at an index; nil outside the vector.
    func integer(_ index: Int) throws(FormatError) -> Int? {
        guard index >= 0, index < count else { return nil }
        let position = start + index * elementByteCount
        switch elementByteCount {
        case 1: return Int(try buffer.number(at: position, as: UInt8.self, name))
        case 2: return Int(try buffer.number(at: position, as: UInt16.self, name))
        default: return Int(try buffer.number(at: position, as: Int32.self, name))
        }
    }
}
