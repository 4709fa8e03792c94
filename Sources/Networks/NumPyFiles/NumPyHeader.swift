import FoundationEssentials
import Tensors

/// The header of a NumPy `.npy` file: everything before the elements.
///
/// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package struct NumPyHeader: Equatable {
    /// The type of the elements.
    package var elementType: ElementType
    /// Whether the most significant byte of an element comes first.
    package var isBigEndian = false
    /// Whether the first axis is contiguous, instead of the last.
    package var isFortranOrder = false
    /// The extents, outermost first.
    package var shape: [Int]
    /// The size of the header in bytes when it was read from a file; otherwise 0.
    package private(set) var byteCount = 0

    static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

    /// Names of element types without byte order, as NumPy writes them.
    private static let typeNames: [String: ElementType] = [
        "f2": .float16, "f4": .float32, "f8": .float64, "i1": .int8, "u1": .uint8, "i2": .int16, "u2": .uint16,
        "i4": .int32, "u4": .uint32, "i8": .int64, "u8": .uint64, "b1": .bool,
    ]

    /// Makes a header of a row-major array in this machine's byte order.
    package init(_ elementType: ElementType, shape: [Int]) {
        self.elementType = elementType
        self.shape = shape
    }

    /// Reads the beginning of a file.
    ///
    /// - Parameter read: Gives the next bytes; fewer than asked for at the end.
    /// - Throws: ``NumPyError``, and what `read` throws.
    package init(reading read: (Int) throws -> Data) throws {
        let start = try read(Self.magic.count + 2)
        guard !start.isEmpty else { throw NumPyError.damaged("it is empty") }
        if start.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw NumPyError.unsupported("it is an archive of arrays (.npz); unpack it first")
        }
        guard start.starts(with: Self.magic) else { throw NumPyError.damaged("it does not begin as one") }
        guard start.count == Self.magic.count + 2 else { throw NumPyError.damaged("it ends in the header") }
        let version = start[start.startIndex + Self.magic.count]
        guard (1...3).contains(version) else { throw NumPyError.unsupported("it is of version \(version)") }
        let lengthByteCount = version == 1 ? 2 : 4
        let lengthBytes = try read(lengthByteCount)
        guard lengthBytes.count == lengthByteCount else { throw NumPyError.damaged("it ends in the header") }
        let length = lengthBytes.integer(at: 0, byteCount: lengthByteCount)
        guard length <= 1 << 20 else { throw NumPyError.damaged("it declares a header of \(length) bytes") }
        let text = try read(length)
        guard text.count == length else { throw NumPyError.damaged("it ends in the header") }
        try self.init(dictionary: String(decoding: text, as: UTF8.self))
        byteCount = start.count + lengthByteCount + length
    }

    /// Reads the dictionary of a header, such as `{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }`.
    package init(dictionary text: String) throws(NumPyError) {
        // Python ignores what follows # behind the dictionary.
        let end = text.lastIndex(of: "}").map { text.index(after: $0) } ?? text.endIndex
        let isComment = text[end...].first { $0 != " " } == "#"
        var literal = PythonLiteral(isComment ? String(text[..<end]) : text)
        let value = try literal.wholeValue()
        guard case .dictionary(let entries) = value else { throw .damaged("the header is not a dictionary") }
        for key in entries.keys.sorted() where !["descr", "fortran_order", "shape"].contains(key) {
            throw .damaged("the header has an unknown key \"\(key)\"")
        }
        guard case .boolean(let isFortranOrder)? = entries["fortran_order"] else {
            throw .damaged("\"fortran_order\" is not True or False")
        }
        guard case .tuple(let extents)? = entries["shape"] else { throw .damaged("\"shape\" is not a tuple") }
        var shape: [Int] = []
        for extent in extents {
            guard case .integer(let number) = extent, number >= 0 else {
                throw .damaged("\"shape\" has something other than whole numbers in it")
            }
            shape.append(number)
        }
        self.shape = shape
        self.isFortranOrder = isFortranOrder
        switch entries["descr"] {
        case .string(let name): (elementType, isBigEndian) = try Self.elementType(named: name)
        case .tuple: throw .unsupported("its elements are records")
        default: throw .damaged("\"descr\" is not a type")
        }
    }

    /// The type that a name such as `<f4` means.
    private static func elementType(named name: String) throws(NumPyError) -> (ElementType, isBigEndian: Bool) {
        let order = name.first.map { "<>|=".contains($0) } == true ? name.first : nil
        let type = order == nil ? name : String(name.dropFirst())
        guard let elementType = typeNames[type] else {
            let known = typeNames.keys.sorted().joined(separator: ", ")
            throw .unsupported("its elements are of type \"\(name.printable)\"; supported types are \(known)")
        }
        return (elementType, order == ">")
    }

    /// The encoded header: magic number, version 1.0 and dictionary, padded to a multiple of 64 bytes.
    ///
    /// A dictionary beyond the 65,535 bytes of version 1.0 needs thousands of axes, and no tensor has them.
    package var encoded: [UInt8] { encoded(byteCount: 0) }

    /// The encoded header with a comment on the line of the dictionary, which Python ignores.
    ///
    /// - Parameter comment: Text in Latin letters without braces.
    package func encoded(comment: String) -> [UInt8] { encoded(byteCount: 0, comment: " # " + comment) }

    /// The encoded header, padded with spaces to at least `byteCount` bytes.
    package func encoded(byteCount: Int, comment: String = "") -> [UInt8] {
        let name = Self.typeNames.first { $0.value == elementType }?.key ?? "f4"
        let order = elementType.byteCount == 1 ? "|" : "<"
        let extents = shape.map(String.init).joined(separator: ", ") + (shape.count == 1 ? "," : "")
        var dictionary = "{'descr': '\(order)\(name)', 'fortran_order': False, 'shape': (\(extents)), }\(comment)"
        let prefix = Self.magic.count + 4
        let length = max(byteCount, prefix + dictionary.utf8.count + 1)
        let padding = (length + 63) / 64 * 64 - prefix - dictionary.utf8.count - 1
        dictionary += String(repeating: " ", count: padding) + "\n"
        let field = UInt16(clamping: dictionary.utf8.count)
        return Self.magic + [1, 0, UInt8(field & 0xFF), UInt8(field >> 8)] + Array(dictionary.utf8)
    }
}

/// Why bytes cannot be read as an array.
package enum NumPyError: Error, Equatable {
    /// The bytes contradict the format; the text says how.
    case damaged(String)
    /// The array is valid, but of an unsupported kind.
    case unsupported(String)
}

extension NumPyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged(let message): "is not a valid .npy file: \(message)"
        case .unsupported(let message): "is not supported: \(message)"
        }
    }
}
