import Tensors

/// How the first factor of a ``QuantizedMatMul`` becomes integers q, with scales s and a zero point z.
package enum InputQuantization: Sendable, Hashable {
    /// Each row x by its own largest magnitude: s = max(max |x| / 127, 2⁻¹²⁶), q = round(x / s), z = 0. All results of
    /// a row with a number that is not finite are NaN.
    case byRow
    /// The whole value at once, as ``DynamicQuantizeLinear`` does.
    case whole
    /// Every number with the same scale, as ``QuantizeLinear`` does. NaN gives the zero point.
    case fixed(scale: Float, zeroPoint: Int32, elementType: ElementType)
    /// The factor holds integers.
    case integers(scale: Float, zeroPoint: Int32)

    /// The smallest scale of a row.
    package static let minimumScale = Float.leastNormalMagnitude
    /// The largest magnitude of a row's integers.
    package static let largestInteger: Float = 127

    /// The integers less their zero point, and the scale of each row, or one for all.
    func quantized(_ x: Tensor, depth: Int) throws -> (integers: [Double], scales: [Float]) {
        switch self {
        case .byRow: return Self.quantizedByRow(x.elements(as: Float.self), depth: depth)
        case .whole:
            let parts = try DynamicQuantizeLinear().evaluate([x], outputTypes: [])
            let zeroPoint = parts[2].elements(as: Double.self)[0]
            return (parts[0].elements(as: Double.self).map { $0 - zeroPoint }, parts[1].elements(as: Float.self))
        case .fixed(let scale, let zeroPoint, let elementType):
            let range = elementType.quantizedRange ?? 0...0
            let integers = x.elements(as: Float.self).map { number in
                let quotient = (number / scale).rounded(.toNearestOrEven)
                let integer = Double(quotient.isNaN ? 0 : quotient) + Double(zeroPoint)
                return min(max(integer, Double(range.lowerBound)), Double(range.upperBound)) - Double(zeroPoint)
            }
            return (integers, [scale])
        case .integers(let scale, let zeroPoint):
            return (x.elements(as: Double.self).map { $0 - Double(zeroPoint) }, [scale])
        }
    }

    private static func quantizedByRow(_ x: [Float], depth: Int) -> (integers: [Double], scales: [Float]) {
        var integers: [Double] = []
        var scales: [Float] = []
        guard depth > 0 else { return ([], []) }
        for first in stride(from: 0, to: x.count, by: depth) {
            let row = x[first..<first + depth]
            guard row.allSatisfy(\.isFinite) else {
                scales.append(.nan)
                integers += [Double](repeating: 0, count: depth)
                continue
            }
            let scale = max(row.reduce(0) { max($0, abs($1)) } / largestInteger, minimumScale)
            scales.append(scale)
            integers += row.map { Double(($0 / scale).rounded(.toNearestOrEven)) }
        }
        return (integers, scales)
    }

    /// Checks the first factor's element type, and the scale.
    func check(_ elementType: ElementType) throws(OperatorError) {
        var numbers: [Float] = []
        switch self {
        case .byRow, .whole: break
        case .fixed(let scale, _, let integers):
            guard integers.byteCount == 1, integers.quantizedRange != nil else {
                throw .invalid("\(integers) is not a type of 8-bit integers")
            }
            numbers = [scale]
        case .integers(let scale, _):
            guard elementType == .int8 || elementType == .uint8 else {
                throw .invalid("input 0 is \(elementType); 8-bit integers are expected")
            }
            guard scale > 0, scale.isFinite else { throw .invalid("the scale is \(scale)") }
            return
        }
        guard elementType == .float32 else { throw .invalid("input 0 is \(elementType); float32 is expected") }
        guard numbers.allSatisfy({ $0 > 0 && $0.isFinite }) else { throw .invalid("the scale is \(numbers[0])") }
    }

    var attributes: [String: AttributeValue] {
        switch self {
        case .byRow: ["quantization": .string("by row")]
        case .whole: ["quantization": .string("whole")]
        case .fixed(let scale, let zeroPoint, let elementType):
            [
                "quantization": .string("\(elementType)"), "a_scale": .float(scale),
                "a_zero_point": .int(Int64(zeroPoint)),
            ]
        case .integers(let scale, let zeroPoint):
            ["a_scale": .float(scale), "a_zero_point": .int(Int64(zeroPoint))]
        }
    }
}
