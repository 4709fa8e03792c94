import Tensors

/// The types of numbers in the weight file of an ML program.
enum MILBlobType: UInt32 {
    case float16 = 1
    case float32, uint8, int8, bfloat16, int16, uint16, int4, uint1, uint2, uint4, uint3, uint6, int32, uint32
    case float8e4m3fn, float8e5m2

    var bitCount: Int {
        switch self {
        case .uint1: 1
        case .uint2: 2
        case .uint3: 3
        case .int4, .uint4: 4
        case .uint6: 6
        case .uint8, .int8, .float8e4m3fn, .float8e5m2: 8
        case .float16, .bfloat16, .int16, .uint16: 16
        case .float32, .int32, .uint32: 32
        }
    }
}

/// Numbers in a weight file. A record of 64 bytes gives their type, length and position.
///
/// Little-endian: 0xDEADBEEF and the type (32 bits each), the length in bytes and the position (64 bits each).
struct MILBlob {
    let file: ModelFile
    let type: MILBlobType
    let range: Range<Int>

    private static let sentinel: UInt32 = 0xDEAD_BEEF
    private static let recordByteCount = 64

    init(_ file: ModelFile, at offset: UInt64) throws(FormatError) {
        guard offset <= UInt64(file.byteCount), file.byteCount - Int(offset) >= Self.recordByteCount else {
            throw .invalid("the weight file has \(file.byteCount) bytes, too few for a record at \(offset)")
        }
        let start = Int(offset)
        let record = [UInt8](try ModelContent(file).bytes(start..<start + Self.recordByteCount))
        func number(_ position: Int, _ byteCount: Int) -> UInt64 {
            record[position..<position + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard number(0, 4) == UInt64(Self.sentinel) else {
            throw .invalid("the weight file has no record at \(offset)")
        }
        guard let type = MILBlobType(rawValue: UInt32(number(4, 4))) else {
            throw .unsupported("weights of type \(number(4, 4)), which Apus does not know")
        }
        let (length, position) = (number(8, 8), number(16, 8))
        guard position <= UInt64(file.byteCount), length <= UInt64(file.byteCount) - position else {
            throw .invalid(
                "the weight file has \(file.byteCount) bytes, too few for \(length) from \(position)")
        }
        self.file = file
        self.type = type
        range = Int(position)..<Int(position + length)
    }

    /// The numbers as a tensor: floating-point numbers as float32, integers as int32 or uint8.
    func tensor(shape: [Int]) throws(FormatError) -> Tensor {
        do {
            let count = try Shape.elementCount(shape)
            let bits = count * type.bitCount
            guard range.count >= (bits + 7) / 8 else {
                throw FormatError.invalid("shape \(shape) needs more than the \(range.count) bytes that are given")
            }
            let content = ModelContent(file)
            func read(_ elementType: ElementType) throws -> Tensor {
                try Tensor(elementType, shape: shape) { buffer in
                    try content.read(from: range.lowerBound, into: buffer)
                }
            }
            let exact = range.lowerBound..<range.lowerBound + bits / 8
            switch type {
            case .float32:
                if exact.count >= Tensor.minimumDerivedByteCount, let derivation = content.derivation(of: exact) {
                    return try Tensor(deriving: .float32, shape: shape, by: derivation)
                }
                return try read(.float32)
            case .float16: return try read(.float16).converted(to: .float32)
            case .bfloat16: return try read(.bfloat16).converted(to: .float32)
            case .float8e4m3fn: return try read(.float8e4m3fn).converted(to: .float32)
            case .float8e5m2: return try read(.float8e5m2).converted(to: .float32)
            case .uint8: return try read(.uint8)
            case .int8: return try read(.int8)
            case .int16: return try read(.int16).converted(to: .int32)
            case .uint16: return try read(.uint16).converted(to: .int32)
            case .int32: return try read(.int32)
            case .uint32: return try read(.uint32).converted(to: .int32)
            case .uint1, .uint2, .uint3, .uint4, .uint6, .int4:
                let bytes = try Tensor(.uint8, shape: [(bits + 7) / 8]) { buffer in
                    try content.read(from: range.lowerBound, into: buffer)
                }
                return try bytes.unpacked(type.bitCount, isSigned: type == .int4, shape: shape)
            }
        } catch {
            throw FormatError(error)
        }
    }
}

extension Tensor {
    /// Integers of fewer than 8 bits, of which these bytes hold at least as many as `shape` needs, packed from the
    /// lowest bits of each byte up: int8 or uint8, one for each element.
    func unpacked(_ bitCount: Int, isSigned: Bool = false, shape: [Int]) throws -> Tensor {
        try withContiguousBytes { bytes in
            let codes = LowFirstIntegers(bytes: bytes, bitCount: bitCount)
            let sign: UInt8 = isSigned ? 1 << UInt8(bitCount - 1) : 0
            return try Tensor(isSigned ? .int8 : .uint8, shape: shape) { buffer in
                // Subtracting the sign's weight from an integer without it extends the sign.
                for index in buffer.indices { buffer[index] = (codes[index] ^ sign) &- sign }
            }
        }
    }
}

/// Unsigned integers of 1 to 8 bits, packed from the lowest bit up.
struct LowFirstIntegers {
    let bytes: UnsafeRawBufferPointer
    let bitCount: Int

    subscript(index: Int) -> UInt8 {
        let (first, shift) = ((index * bitCount) / 8, (index * bitCount) % 8)
        let next = first + 1 < bytes.count ? bytes[first + 1] : 0
        let window = UInt16(next) << 8 | UInt16(bytes[first])
        return UInt8(truncatingIfNeeded: window >> UInt16(shift)) & UInt8(truncatingIfNeeded: 1 << bitCount - 1)
    }
}
