import Tensors
import Testing

@Suite("Conversions between element types")
struct ElementConversionTests {
    /// The minimum and the maximum of every integer type.
    private static let ranges: [(type: ElementType, least: Int64, greatest: UInt64)] = [
        (.int8, -128, 127), (.uint8, 0, 255), (.int16, -32768, 32767), (.uint16, 0, 65535),
        (.int32, -2_147_483_648, 2_147_483_647), (.uint32, 0, 4_294_967_295),
        (.int64, .min, UInt64(Int64.max)), (.uint64, 0, .max),
    ]

    @Test("Floating-point numbers truncate towards zero, saturate at the ends, and NaN becomes 0")
    func saturatesFloatingPoint() throws {
        let values: [Double] = [.nan, -.infinity, .infinity, -1e30, 1e30, 2.9, -2.9, 0.5]
        for range in Self.ranges {
            let converted = try Tensor(values, shape: [values.count]).converted(to: range.type)
            #expect(converted.elementType == range.type)
            let isSigned = range.least < 0
            if range.type == .uint64 {
                #expect(converted.elements(as: UInt64.self) == [0, 0, .max, 0, .max, 2, 0, 0])
            } else {
                let (least, greatest) = (range.least, Int64(range.greatest))
                #expect(
                    converted.elements(as: Int64.self) == [
                        0, least, greatest, least, greatest, 2, isSigned ? -2 : 0, 0,
                    ], "\(range.type)")
            }
        }
    }

    @Test("Numbers just beyond the range saturate, those at its ends are kept")
    func saturatesAtTheEnds() throws {
        for range in Self.ranges {
            let (least, greatest) = (Double(range.least), Double(range.greatest))
            // The adjacent float64 numbers; beyond 2⁵³ they are more than 1 apart.
            let values = [least, greatest, greatest + 1, greatest.nextUp, least - 1, least.nextDown]
            let converted = try Tensor(values, shape: [6]).converted(to: range.type).elements(as: UInt64.self)
            let signed = try Tensor(values, shape: [6]).converted(to: range.type).elements(as: Int64.self)
            #expect(Array(converted[1...3]) == [range.greatest, range.greatest, range.greatest], "\(range.type)")
            #expect([signed[0], signed[4], signed[5]] == [range.least, range.least, range.least], "\(range.type)")
        }
    }

    @Test("Integers saturate in narrower types")
    func saturatesIntegers() throws {
        let values: [Int64] = [.min, -1, 0, 1, 300, .max]
        let tensor = try Tensor(values, shape: [6])
        #expect(tensor.elements(as: UInt8.self) == [0, 0, 0, 1, 255, 255])
        #expect(tensor.elements(as: Int8.self) == [-128, -1, 0, 1, 127, 127])
        #expect(tensor.elements(as: UInt64.self) == [0, 0, 0, 1, 300, UInt64(Int64.max)])
        #expect(tensor.elements(as: Bool.self) == [true, true, false, true, true, true])
        let large = try Tensor([UInt64.max, 7], shape: [2])
        #expect(large.elements(as: Int64.self) == [.max, 7])
        #expect(large.elements(as: Int32.self) == [.max, 7])
    }

    /// E8M0 is only an exponent, and has no zero.
    @Test(
        "Every element type holds 0 and 1, and takes as many bytes as it says",
        arguments: ElementType.allCases.filter { $0 != .float8e8m0 })
    func roundTrips(_ elementType: ElementType) throws {
        let tensor = try Tensor([0.0, 1, 1], as: elementType, shape: [3])
        #expect(tensor.elementType == elementType)
        #expect(tensor.byteCount == 3 * elementType.byteCount)
        for other in ElementType.allCases where other != .float8e8m0 {
            let there = try tensor.converted(to: other)
            #expect(there.byteCount == 3 * other.byteCount)
            #expect(try there.converted(to: elementType).elements(as: Double.self) == [0, 1, 1], "\(other)")
        }
    }

    @Test("Half precision rounds to nearest even, and overflows to infinity")
    func roundsHalfPrecision() throws {
        let tensor = try Tensor([Float](arrayLiteral: 2049, 2051, 65519, 65520, 1e-8), shape: [5])
        #expect(tensor.elements(as: Float16.self) == [2048, 2052, 65504, .infinity, 0])
        #expect(try tensor.converted(to: .float16).elements(as: Float.self) == [2048, 2052, 65504, .infinity, 0])
    }
}
