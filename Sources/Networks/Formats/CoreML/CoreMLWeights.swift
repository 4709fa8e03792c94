import Tensors

/// The numbers of one `WeightParams`: float32, float16, or integers of 1 to 8 bits with a scale or a table.
struct CoreMLWeights {
    /// The storage of the numbers.
    private enum Storage: Int, MessageField {
        case float32 = 1
        case float16 = 2
        case packed = 30
        case int8 = 31
    }

    private enum Field: Int, MessageField {
        case quantization = 40
    }

    private let message: CoreMLMessage
    private let storage: Storage
    private let range: Range<Int>

    /// - Throws: ``FormatError/invalid(_:)`` when there are no numbers, or more than one kind of them.
    init(_ message: CoreMLMessage) throws(FormatError) {
        let stored = Storage.allCases.flatMap { kind in
            message.ranges(kind).filter { !$0.isEmpty }.map { (kind, $0) }
        }
        if message.fields.contains(where: { $0.number == Storage.float32.rawValue && $0.wire == .fixed32 }) {
            throw .unsupported("its numbers are not packed")
        }
        guard let (kind, range) = stored.first else { throw .invalid("holds no numbers") }
        guard stored.count == 1 else { throw .invalid("holds its numbers in more than one place") }
        self.message = message
        storage = kind
        self.range = range
    }

    /// Reads the numbers as float32.
    ///
    /// - Parameter shape: The shape of the tensor. Linear scales belong to its first axis.
    func tensor(shape: [Int]) throws(FormatError) -> Tensor {
        do {
            let count = try Shape.elementCount(shape)
            _ = try Shape.byteCount(shape, .float32)
            switch storage {
            case .float32:
                try expect(count, bitCount: 32)
                if range.count >= Tensor.minimumDerivedByteCount, let derivation = message.content.derivation(of: range)
                {
                    return try Tensor(deriving: .float32, shape: shape, by: derivation)
                }
                return try Tensor(.float32, shape: shape) { buffer in
                    try message.content.read(from: range.lowerBound, into: buffer)
                }
            case .float16:
                try expect(count, bitCount: 16)
                let halves = try Tensor(.float16, shape: shape) { buffer in
                    try message.content.read(from: range.lowerBound, into: buffer)
                }
                return try halves.converted(to: .float32)
            case .packed, .int8:
                let bitCount = try codeBitCount(count)
                let levels = try levels(rows: shape.first ?? 1)
                let columns = count / max(shape.first ?? 1, 1)
                let bytes = try Tensor(.uint8, shape: [range.count]) { buffer in
                    try message.content.read(from: range.lowerBound, into: buffer)
                }
                return try bytes.withContiguousBytes { bytes in
                    let codes = PackedIntegers(bytes: bytes, bitCount: bitCount)
                    return try Tensor(shape: shape) { levels.number(codes[$0], row: $0 / columns) }
                }
            }
        } catch {
            throw FormatError(error)
        }
    }

    private func expect(_ count: Int, bitCount: Int) throws(FormatError) {
        let (bits, overflow) = count.multipliedReportingOverflow(by: bitCount)
        guard !overflow, range.count == bits / 8 + (bits % 8 == 0 ? 0 : 1) else {
            throw .invalid("\(count) numbers of \(bitCount) bits do not fill \(range.count) bytes")
        }
    }

    /// The bits of each of `count` codes, which fill the bytes that are given.
    private func codeBitCount(_ count: Int) throws(FormatError) -> Int {
        let bitCount = storage == .int8 ? 8 : Int(clamping: try quantization().bitCount)
        guard (1...8).contains(bitCount) else {
            throw .invalid("weights of \(try quantization().bitCount) bits; 1 to 8 are possible")
        }
        try expect(count, bitCount: bitCount)
        return bitCount
    }

    private func quantization() throws(FormatError) -> CoreMLQuantization {
        guard let field = message.ranges(Field.quantization).last else {
            throw .invalid("integers without scales or a table")
        }
        return try message.decode(field)
    }

    /// The numbers that codes represent.
    private func levels(rows: Int) throws(FormatError) -> QuantizedLevels {
        let quantization = try quantization()
        switch quantization.kind {
        case .linear(let linear):
            let biases = linear.bias.isEmpty ? [0] : linear.bias
            guard [1, rows].contains(linear.scale.count), [1, rows].contains(biases.count) else {
                throw .invalid(
                    "\(linear.scale.count) scales and \(biases.count) biases; 1 or \(rows) of each are expected")
            }
            return .linear(scales: linear.scale, biases: biases, isSigned: storage == .int8)
        case .lookupTable(let table):
            let count = UInt64(table.values.count)
            guard storage == .packed, quantization.bitCount <= 8, count >= 1 << quantization.bitCount else {
                throw .invalid("a table of \(count) numbers for codes of \(quantization.bitCount) bits")
            }
            return .table(table.values)
        case nil:
            throw .invalid("integers without scales or a table")
        }
    }
}

/// The numbers that the codes of quantised weights represent.
private enum QuantizedLevels {
    /// code · scale + bias, with one scale and bias for all rows or one for each.
    case linear(scales: [Float], biases: [Float], isSigned: Bool)
    case table([Float])

    func number(_ code: UInt8, row: Int) -> Float {
        switch self {
        case .linear(let scales, let biases, let isSigned):
            let number = isSigned ? Float(Int8(bitPattern: code)) : Float(code)
            return number * scales[scales.count == 1 ? 0 : row] + biases[biases.count == 1 ? 0 : row]
        case .table(let numbers): return numbers[Int(code)]
        }
    }
}

/// Unsigned integers of 1 to 8 bits, packed from the highest bit down.
struct PackedIntegers {
    let bytes: UnsafeRawBufferPointer
    let bitCount: Int

    subscript(index: Int) -> UInt8 {
        if bitCount == 8 { return bytes[index] }
        let (first, shift) = ((index * bitCount) / 8, (index * bitCount) % 8)
        let next = first + 1 < bytes.count ? bytes[first + 1] : 0
        let window = UInt16(bytes[first]) << 8 | UInt16(next)
        return UInt8(truncatingIfNeeded: window >> UInt16(16 - shift - bitCount)) & UInt8(1 << bitCount - 1)
    }
}
