import Graphs
import Planning
import Tensors

extension [Int] {
    /// Whether all numbers are multiples of `unit`.
    func areMultiples(of unit: Int) -> Bool { allSatisfy { $0 % unit == 0 } }

    /// The widest vector of bytes, of 4 or 1, whose width divides all of these numbers.
    var byteVectorWidth: Int { areMultiples(of: 4) ? 4 : 1 }
}

extension LoweringRequest {
    /// Why kernels over 8-bit integers cannot take the request; nil when they can.
    var refusalOfBytes: String? {
        for type in (inputs.prefix(1) + outputs).compactMap({ $0 }) {
            if !type.elementType.isQuantizedByte { return "elements are \(type.elementType)" }
            if type.elementCount == 0 { return "a value is empty" }
            if type.elementCount > Int(Int32.max) { return "extents exceed integers of 32 bits" }
        }
        return nil
    }

    /// Why kernels over a batch of images `[N, C, H, W]` of 8-bit integers cannot take the request; nil when they can.
    var refusalOfByteImages: String? {
        if let refusal = refusalOfBytes { return refusal }
        guard let input = inputs.first ?? nil, input.rank == 4 else { return "the input is not [N, C, H, W]" }
        return nil
    }
}

extension Requantization {
    /// Whether kernels round so: not as for sums of 64 bits.
    var runsOnDevice: Bool { !hasWideSums && elementType.isQuantizedByte }

    /// The macro ROUNDING of `dot.cl`.
    var roundingMacro: String {
        switch factors {
        case .float: "0"
        case .fixedPoint: roundsOnce ? "2" : "1"
        }
    }

    /// The factor and shift of a channel, as kernels read them.
    func factor(_ channel: Int) -> (factor: Int32, shift: Int32) {
        switch factors {
        case .float(let scales): (Int32(bitPattern: scales[scales.count == 1 ? 0 : channel].bitPattern), 0)
        case .fixedPoint(let multipliers):
            multipliers[multipliers.count == 1 ? 0 : channel].parts
        }
    }

    /// Zero point and range.
    var ends: [KernelCall.Argument] { [.int(zeroPoint), .int(range.lowerBound), .int(range.upperBound)] }

    /// The rows bias, factor and shift of groups of columns, each of which is padded to `pitch`.
    func parameters(bias: Tensor?, group: Int, columns: Int, pitch: Int) throws -> KernelCall.Argument {
        let count = group * pitch
        var values = [Int32](repeating: 0, count: 3 * count)
        let biases = bias?.elements(as: Int32.self)
        for channel in 0..<group * columns {
            let place = channel / columns * pitch + channel % columns
            let (factor, shift) = factor(channel)
            values[place] = biases?[channel] ?? 0
            values[count + place] = factor
            values[2 * count + place] = shift
        }
        return .constant(try Tensor(values, shape: [3, count]), packing: "parameters") { $0 }
    }
}

extension FixedPointMultiplier {
    fileprivate var parts: (factor: Int32, shift: Int32) { (value, shift) }
}
