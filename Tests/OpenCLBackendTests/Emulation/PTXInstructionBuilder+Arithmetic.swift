import Foundation

extension PTXInstructionBuilder {
    // MARK: Integers

    func integerArithmetic() throws -> PTXCode.Step {
        if name[0] == "dp4a" { return try dotOfBytes() }
        let type = try type()
        let d = try destination()
        let a = try source(1)
        if let function = unary(type) { return { $0.registers[d] = type.bits(function(try a($0))) } }
        let b = try source(2)
        if name[0] == "mad" || name[0] == "bfe" || name[0] == "bfi" || name[0] == "shf" {
            return try ternary(type)
        }
        if name[0] == "mul", has("wide") {
            return { $0.registers[d] = UInt64(bitPattern: type.integer(try a($0)) &* type.integer(try b($0))) }
        }
        let function = try binary(type)
        return { $0.registers[d] = type.bits(try function(try a($0), try b($0))) }
    }

    private func unary(_ type: PTXType) -> (@Sendable (UInt64) -> UInt64)? {
        switch name[0] {
        case "not": { ~$0 & (type.width == 1 ? 1 : .max) }
        case "neg": { UInt64(bitPattern: 0 &- type.integer($0)) }
        case "abs": { UInt64(bitPattern: abs(type.integer($0))) }
        case "popc": { UInt64(type.bits($0).nonzeroBitCount) }
        case "clz": { UInt64(type.bits($0).leadingZeroBitCount - (64 - type.width)) }
        default: nil
        }
    }

    private func binary(_ type: PTXType) throws -> @Sendable (UInt64, UInt64) throws -> UInt64 {
        switch name[0] {
        case "add": return { $0 &+ $1 }
        case "sub": return { $0 &- $1 }
        case "mul":
            guard has("hi") else { return { $0 &* $1 } }
            return { a, b in
                if type.width == 64 {
                    return type.isSigned
                        ? UInt64(bitPattern: Int64(bitPattern: a).multipliedFullWidth(by: Int64(bitPattern: b)).high)
                        : a.multipliedFullWidth(by: b).high
                }
                return UInt64(bitPattern: (type.integer(a) &* type.integer(b)) >> type.width)
            }
        case "div", "rem":
            let isRemainder = name[0] == "rem"
            return { a, b in
                guard type.bits(b) != 0 else { throw Failure(description: "division by 0") }
                if type.isSigned {
                    let (x, y) = (type.integer(a), type.integer(b))
                    let result =
                        isRemainder ? x.remainderReportingOverflow(dividingBy: y) : x.dividedReportingOverflow(by: y)
                    return UInt64(bitPattern: result.partialValue)
                }
                return isRemainder ? type.bits(a) % type.bits(b) : type.bits(a) / type.bits(b)
            }
        case "min": return { type.isLess($0, $1) ? $0 : $1 }
        case "max": return { type.isLess($0, $1) ? $1 : $0 }
        case "and": return { $0 & $1 }
        case "or": return { $0 | $1 }
        case "xor": return { $0 ^ $1 }
        case "shl": return { Self.count($1) >= type.width ? 0 : $0 << Self.count($1) }
        case "shr":
            return { a, b in
                let count = min(Self.count(b), type.width)
                if type.isSigned { return UInt64(bitPattern: type.integer(a) >> min(count, 63)) }
                return count >= type.width ? 0 : type.bits(a) >> count
            }
        default: throw Failure(description: "an unknown instruction")
        }
    }

    private static func count(_ bits: UInt64) -> Int { Int(bits & 0xffff_ffff) }

    private func ternary(_ type: PTXType) throws -> PTXCode.Step {
        let (d, a, b, c) = (try destination(), try source(1), try source(2), try source(3))
        switch name[0] {
        case "mad":
            if has("wide") {
                return {
                    $0.registers[d] =
                        UInt64(bitPattern: type.integer(try a($0)) &* type.integer(try b($0))) &+ (try c($0))
                }
            }
            guard has("lo") else { throw Failure(description: "an unknown instruction") }
            return { $0.registers[d] = type.bits(try a($0) &* b($0) &+ c($0)) }
        case "bfe":
            return { thread in
                let (position, length) = (Self.count(try b(thread)) & 255, Self.count(try c(thread)) & 255)
                guard length > 0, position < type.width else {
                    thread.registers[d] = 0
                    return
                }
                let value = type.integer(try a(thread)) >> position
                let rest = max(64 - length, 0)
                thread.registers[d] = type.bits(
                    type.isSigned
                        ? UInt64(bitPattern: (value << rest) >> rest) : (UInt64(bitPattern: value) << rest) >> rest)
            }
        case "bfi":
            let last = try source(4)
            return { thread in
                let (position, length) = (Self.count(try c(thread)) & 255, Self.count(try last(thread)) & 255)
                let mask = type.bits((length >= 64 ? .max : 1 << length - 1) << position)
                thread.registers[d] = type.bits(try b(thread) & ~mask | (try a(thread) << position) & mask)
            }
        case "shf":
            let isLeft = has("l")
            return { thread in
                let wide = (try b(thread) & 0xffff_ffff) << 32 | (try a(thread) & 0xffff_ffff)
                let count = self.has("wrap") ? Self.count(try c(thread)) & 31 : min(Self.count(try c(thread)), 32)
                thread.registers[d] = isLeft ? (wide << count) >> 32 & 0xffff_ffff : wide >> count & 0xffff_ffff
            }
        default: throw Failure(description: "an unknown instruction")
        }
    }

    /// d = c + Σ a[p] · b[p] over four bytes.
    private func dotOfBytes() throws -> PTXCode.Step {
        let (d, a, b, c) = (try destination(), try source(1), try source(2), try source(3))
        let isSigned = (left: try type(fromEnd: 1).isSigned, right: try type().isSigned)
        return { thread in
            let (left, right) = (try a(thread), try b(thread))
            thread.registers[d] = UInt64(
                UInt32(
                    bitPattern: Int32(truncatingIfNeeded: try c(thread))
                        &+ PTXBytes.dot(left, isSigned.left, right, isSigned.right)))
        }
    }

    // MARK: Floats

    func floatArithmetic() throws -> PTXCode.Step {
        guard try type().width == 32 else { throw Failure(description: "an unknown type") }
        let (d, a) = (try destination(), try source(1))
        if let function = floatUnary() { return { $0.registers[d] = UInt64(bitsOf: function(try a($0).float)) } }
        let b = try source(2)
        if name[0] == "fma" || name[0] == "mad" {
            let c = try source(3)
            return {
                $0.registers[d] = UInt64(bitsOf: (try c($0).float).addingProduct(try a($0).float, try b($0).float))
            }
        }
        let function = try floatBinary()
        return { $0.registers[d] = UInt64(bitsOf: function(try a($0).float, try b($0).float)) }
    }

    private func floatUnary() -> (@Sendable (Float) -> Float)? {
        switch name[0] {
        case "neg": { -$0 }
        case "abs": { $0.magnitude }
        case "sqrt": { $0.squareRoot() }
        case "rsqrt": { 1 / $0.squareRoot() }
        case "rcp": { 1 / $0 }
        case "ex2": { exp2($0) }
        case "lg2": { log2($0) }
        case "sin": { sin($0) }
        case "cos": { cos($0) }
        case "tanh": { tanh($0) }
        default: nil
        }
    }

    private func floatBinary() throws -> @Sendable (Float, Float) -> Float {
        switch name[0] {
        case "add": return { $0 + $1 }
        case "sub": return { $0 - $1 }
        case "mul": return { $0 * $1 }
        case "div": return { $0 / $1 }
        case "copysign": return { Float(signOf: $0, magnitudeOf: $1) }
        case "min", "max":
            let (isMinimum, keepsNaN) = (name[0] == "min", has("NaN"))
            return { a, b in
                if keepsNaN, a.isNaN || b.isNaN { return .nan }
                return isMinimum ? Float.minimum(a, b) : Float.maximum(a, b)
            }
        default: throw Failure(description: "an unknown instruction")
        }
    }

    // MARK: Comparisons

    func compare() throws -> PTXCode.Step {
        let (type, d, a, b) = (try type(), try destination(), try source(1), try source(2))
        guard name.count == 3 else { throw Failure(description: "an unknown comparison") }
        if type.isFloat {
            guard type.width == 32 else { throw Failure(description: "an unknown type") }
            let function = try floatComparison(name[1])
            return { $0.registers[d] = function(try a($0).float, try b($0).float) ? 1 : 0 }
        }
        let function = try integerComparison(name[1], type)
        return { $0.registers[d] = function(try a($0), try b($0)) ? 1 : 0 }
    }

    private func integerComparison(_ name: String, _ type: PTXType) throws -> @Sendable (UInt64, UInt64) -> Bool {
        switch name {
        case "eq": return { type.bits($0) == type.bits($1) }
        case "ne": return { type.bits($0) != type.bits($1) }
        case "lt", "lo": return { type.isLess($0, $1) }
        case "gt", "hi": return { type.isLess($1, $0) }
        case "le", "ls": return { !type.isLess($1, $0) }
        case "ge", "hs": return { !type.isLess($0, $1) }
        default: throw Failure(description: "an unknown comparison")
        }
    }

    private func floatComparison(_ name: String) throws -> @Sendable (Float, Float) -> Bool {
        switch name {
        case "eq": return { $0 == $1 }
        case "ne": return { !$0.isNaN && !$1.isNaN && $0 != $1 }
        case "lt": return { $0 < $1 }
        case "le": return { $0 <= $1 }
        case "gt": return { $0 > $1 }
        case "ge": return { $0 >= $1 }
        case "equ": return { $0.isNaN || $1.isNaN || $0 == $1 }
        case "neu": return { $0 != $1 }
        case "ltu": return { !($0 >= $1) }
        case "leu": return { !($0 > $1) }
        case "gtu": return { !($0 <= $1) }
        case "geu": return { !($0 < $1) }
        case "num": return { !$0.isNaN && !$1.isNaN }
        case "nan": return { $0.isNaN || $1.isNaN }
        default: throw Failure(description: "an unknown comparison")
        }
    }

    // MARK: Conversions

    func convert() throws -> PTXCode.Step {
        if has("f16x2") {
            let (d, upper, lower) = (try destination(), try source(1), try source(2))
            return {
                let bits = (Float16(try upper($0).float).bitPattern, Float16(try lower($0).float).bitPattern)
                $0.registers[d] = UInt64(bits.0) << 16 | UInt64(bits.1)
            }
        }
        let (d, a) = (try destination(), try source(1))
        if has("tf32") { return { $0.registers[d] = UInt64(bitsOf: PTXFragments.tf32(try a($0).float)) } }
        let (to, from) = (try type(fromEnd: 1), try type())
        if !to.isFloat, !from.isFloat {
            return { $0.registers[d] = to.bits(UInt64(bitPattern: from.integer(try a($0)))) }
        }
        let read: @Sendable (UInt64) -> Double = try {
            if !from.isFloat {
                return { from.isSigned ? Double(from.integer($0)) : Double(from.bits($0)) }
            }
            switch from.width {
            case 16: return { Double($0.half) }
            case 32: return { Double($0.float) }
            default: throw Failure(description: "an unknown type")
            }
        }()
        let rounding: FloatingPointRoundingRule? =
            has("rni") ? .toNearestOrEven : has("rzi") ? .towardZero : has("rmi") ? .down : has("rpi") ? .up : nil
        if to.isFloat {
            let saturates = has("sat")
            return { thread in
                let bits = try a(thread)
                // A number of 64 bits is rounded once.
                if !from.isFloat, from.width == 64, to.width == 32 {
                    thread.registers[d] = UInt64(bitsOf: from.isSigned ? Float(from.integer(bits)) : Float(bits))
                    return
                }
                var value = read(bits)
                if let rounding { value = value.rounded(rounding) }
                if saturates { value = value.isNaN ? 0 : min(max(value, 0), 1) }
                thread.registers[d] = to.width == 16 ? UInt64(Float16(value).bitPattern) : UInt64(bitsOf: Float(value))
            }
        }
        guard let rounding else { throw Failure(description: "no rounding") }
        let limits: (low: Double, high: Double) =
            to.isSigned
            ? (-exp2(Double(to.width - 1)), exp2(Double(to.width - 1)) - 1) : (0, exp2(Double(to.width)) - 1)
        return { thread in
            let value = read(try a(thread))
            if value.isNaN {
                thread.registers[d] = 0
            } else if value.rounded(rounding) >= limits.high {
                thread.registers[d] = to.isSigned ? UInt64.max >> (65 - to.width) : UInt64.max >> (64 - to.width)
            } else {
                let whole = Int64(max(value.rounded(rounding), limits.low))
                thread.registers[d] = to.bits(UInt64(bitPattern: whole))
            }
        }
    }
}

extension PTXType {
    func isLess(_ a: UInt64, _ b: UInt64) -> Bool {
        isSigned ? integer(a) < integer(b) : bits(a) < bits(b)
    }
}
