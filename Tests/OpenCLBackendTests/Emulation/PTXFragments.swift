/// What the lanes of a warp do together, on the fragments of matrices that they hold.
///
/// Reference: "Warp-level Matrix Instructions" in https://docs.nvidia.com/cuda/parallel-thread-execution
enum PTXFragments {
    /// The nearest number with 10 bits after the leading one; of two, the one farther from 0.
    static func tf32(_ value: Float) -> Float {
        value.isFinite ? Float(bitPattern: (value.bitPattern &+ 0x1000) & ~0x1fff) : value
    }

    /// What a word of 32 bits holds along the depth.
    enum Word: Sendable {
        case tf32, float16
        case bytes(isSigned: Bool)

        /// The numbers of a word, which products read.
        func numbers(_ word: UInt64) -> [Double] {
            switch self {
            case .tf32: [Double(Float(bitPattern: UInt32(truncatingIfNeeded: word) & ~0x1fff))]
            case .float16: [Double(word.half), Double((word >> 16).half)]
            case .bytes(let isSigned): PTXBytes.bytes(word, isSigned).map { Double($0) }
            }
        }
    }

    /// The products of fragments: four sums for each lane.
    ///
    /// Registers of lane 4 · g + t, in order: left rows g and g + 8 at words t, then at words t + 4; right words t and
    /// t + 4 of column g; sums of row g, then of row g + 8, at columns 2 t and 2 t + 1.
    static func multiply(left: [[UInt64]], right: [[UInt64]], _ word: (left: Word, right: Word)) -> [[Double]] {
        func row(_ m: Int) -> [Double] {
            (0..<8).flatMap { k in word.left.numbers(left[m % 8 * 4 + k % 4][m / 8 + k / 4 * 2]) }
        }
        func column(_ n: Int) -> [Double] {
            (0..<8).flatMap { k in word.right.numbers(right[n * 4 + k % 4][k / 4]) }
        }
        let (rows, columns) = ((0..<16).map(row), (0..<8).map(column))
        return (0..<PTXMachine.lanes).map { lane in
            (0..<4).map { index in
                let (m, n) = (lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2)
                return zip(rows[m], columns[n]).reduce(0) { $0 + $1.0 * $1.1 }
            }
        }
    }
}

enum PTXBytes {
    static func bytes(_ word: UInt64, _ isSigned: Bool) -> [Int32] {
        (0..<4).map { index in
            let byte = UInt8(truncatingIfNeeded: word >> (8 * index))
            return isSigned ? Int32(Int8(bitPattern: byte)) : Int32(byte)
        }
    }

    static func dot(_ a: UInt64, _ isSignedA: Bool, _ b: UInt64, _ isSignedB: Bool) -> Int32 {
        zip(bytes(a, isSignedA), bytes(b, isSignedB)).reduce(0) { $0 &+ $1.0 * $1.1 }
    }
}

extension PTXInstructionBuilder {
    /// What lanes do together; nil for an instruction of one work-item.
    func together() throws -> PTXCode.Together? {
        switch name[0] {
        case "mma": try multiplyFragments()
        case "ldmatrix": try loadMatrices()
        case "shfl": try exchange()
        default: nil
        }
    }

    private func registers(_ index: Int) throws -> [Int] {
        try elements(index).map { element in
            guard case .register(let register) = element else { throw Failure(description: "no register") }
            return register
        }
    }

    private func multiplyFragments() throws -> PTXCode.Together {
        let kinds: [String: (left: PTXFragments.Word, right: PTXFragments.Word)] = [
            "m16n8k8.row.col.f32.tf32.tf32.f32": (.tf32, .tf32),
            "m16n8k16.row.col.f32.f16.f16.f32": (.float16, .float16),
            "m16n8k32.row.col.s32.u8.s8.s32": (.bytes(isSigned: false), .bytes(isSigned: true)),
            "m16n8k32.row.col.s32.s8.s8.s32": (.bytes(isSigned: true), .bytes(isSigned: true)),
        ]
        guard let word = kinds[name.dropFirst(3).joined(separator: ".")] else {
            throw Failure(description: "unknown fragments")
        }
        let (d, a, b, c) = (try registers(0), try registers(1), try registers(2), try elements(3))
        guard (d.count, a.count, b.count, c.count) == (4, 4, 2, 4) else {
            throw Failure(description: "fragments of another size")
        }
        let addends = try c.map { try Self.source($0) }
        let isInteger = has("s32")
        return { lanes in
            let products = PTXFragments.multiply(
                left: lanes.map { lane in a.map { lane.registers[$0] } },
                right: lanes.map { lane in b.map { lane.registers[$0] } }, word)
            for (lane, products) in zip(lanes, products) {
                let sums = try zip(addends, products).map { addend, product in
                    let bits = try addend(lane)
                    return isInteger
                        ? UInt64(UInt32(bitPattern: Int32(truncatingIfNeeded: bits) &+ Int32(product)))
                        : UInt64(bitsOf: Float(Double(bits.float) + product))
                }
                for (register, sum) in zip(d, sums) { lane.registers[register] = sum }
            }
        }
    }

    /// The value of the lane whose number differs by the bits of a mask.
    private func exchange() throws -> PTXCode.Together {
        guard has("bfly") else { throw Failure(description: "an unknown exchange") }
        let (d, a, mask) = (try destination(), try source(1), try source(2))
        return { lanes in
            let values = try lanes.map { try a($0) & 0xffff_ffff }
            for (number, lane) in lanes.enumerated() { lane.registers[d] = values[number ^ Int(try mask(lane)) & 31] }
        }
    }

    /// Lane 8 · m + r gives the address of row r of matrix m; word m of lane 4 · g + t is word t of row g of matrix m.
    private func loadMatrices() throws -> PTXCode.Together {
        let (d, address) = (try registers(0), try source(1))
        let isTransposed = has("trans")
        return { lanes in
            let addresses = try lanes.map { try address($0) }
            for (number, lane) in lanes.enumerated() {
                for (matrix, register) in d.enumerated() {
                    func half(_ row: Int, _ column: Int) throws -> UInt64 {
                        let start = addresses[matrix * 8 + row]
                        guard start % 16 == 0 else { throw Failure(description: "address \(start) is not aligned") }
                        return UInt64(
                            try lane.pointer(start + UInt64(2 * column), byteCount: 2).load(as: UInt16.self))
                    }
                    let (row, column) = (number / 4, number % 4 * 2)
                    lane.registers[register] =
                        isTransposed
                        ? try half(column, row) | half(column + 1, row) << 16
                        : try half(row, column) | half(row, column + 1) << 16
                }
            }
        }
    }
}
