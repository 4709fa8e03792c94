import Graphs
import Tensors

/// Constants, and weights that are stored in fewer bits.
extension MILOperatorKind {
    static func constant(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let name = operation.outputs.first else { throw .invalid("gives nothing") }
        program.define(name, try operation.required("val"))
    }

    /// Reads the classes, whose names are part of the program. The input holds their probabilities, from which the
    /// class follows.
    static func classify(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let name = operation.outputs.last else { throw .invalid("gives nothing") }
        switch try operation.required("classes") {
        case .list(let parts):
            program.labels = parts.compactMap { part in if case .text(let text) = part { text } else { nil } }
        case .text(let text): program.labels = [text]
        case .tensor(let tensor): program.labels = tensor.elements(as: Int64.self).map(String.init)
        case .value: throw .invalid("its classes are computed")
        }
        program.define(name, .value(try operation.value("probabilities")))
    }

    static func castConstant(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let name = operation.outputs.first else { throw .invalid("gives nothing") }
        program.define(name, try operation.required("source_val"))
    }

    private static func define(_ tensor: Tensor, _ operation: MILOperation, _ program: MILTranslator)
        throws(FormatError)
    {
        guard let name = operation.outputs.first else { throw .invalid("gives nothing") }
        program.define(name, .tensor(tensor))
    }

    /// scale · (code − zero point), with one scale or one for each index along an axis.
    static func affineDequantize(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let codes = try operation.tensor("quantized_data"), let scale = try operation.tensor("scale") else {
            throw .invalid("codes and scales are expected")
        }
        var axis = try operation.int("axis") ?? 0
        if axis < 0 { axis &+= codes.shape.count }
        guard scale.elementCount == 1 || (codes.shape.indices.contains(axis) && scale.elementCount == codes.shape[axis])
        else { throw .invalid("\(scale.elementCount) scales do not fit \(codes.shape) along axis \(axis)") }
        var trailing = [Int](repeating: 1, count: max(0, codes.shape.count - axis - 1))
        trailing = scale.elementCount == 1 ? [] : [scale.elementCount] + trailing
        try dequantize(operation, program, codes, scale, zero: try operation.tensor("zero_point"), shape: trailing)
    }

    /// scale · (code − offset), with a scale for each block of elements.
    static func blockwiseShiftScale(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let codes = try operation.tensor("data"), let scale = try operation.tensor("scale") else {
            throw .invalid("codes and scales are expected")
        }
        guard scale.shape.count == codes.shape.count,
            zip(scale.shape, codes.shape).allSatisfy({ $0 == 1 || $0 == $1 })
        else { throw .unsupported("scales \(scale.shape) for blocks of \(codes.shape)") }
        try dequantize(operation, program, codes, scale, zero: try operation.tensor("offset"), shape: scale.shape)
    }

    /// - Parameter shape: The shape of scales and zero points, which broadcasts to the codes' shape.
    private static func dequantize(
        _ operation: MILOperation, _ program: MILTranslator, _ codes: Tensor, _ scale: Tensor, zero: Tensor?,
        shape: [Int]
    ) throws(FormatError) {
        func floats(_ tensor: Tensor, _ shape: [Int]?) throws(FormatError) -> Graph.ValueID {
            do {
                let numbers = try tensor.converted(to: .float32)
                return program.writer.constant(try shape.map { try numbers.reshaped(to: $0) } ?? numbers, "weights")
            } catch {
                throw FormatError(error)
            }
        }
        var result = try floats(codes, nil)
        if let zero {
            let isOne = zero.elementCount == 1
            result = try program.writer.apply(Sub(), [result, try floats(zero, isOne ? [] : shape)])
        }
        result = try program.writer.apply(Mul(), [result, try floats(scale, shape)])
        try program.output(operation, result)
    }

    /// Looks up codes of 1 to 8 bits in a table. Codes are packed from the lowest bits up, or an array of integers.
    static func lookupTable(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let indices = try operation.tensor("indices"), let table = try operation.tensor("lut") else {
            throw .invalid("indices and a table are expected")
        }
        let numbers = table.elements(as: Float.self)
        let bitCount = (1...8).first { 1 << $0 == numbers.count }
        guard let bitCount else { throw .unsupported("a table of \(table.shape)") }
        let bytes = indices.elements(as: UInt8.self)
        let shape = try operation.ints("shape") ?? indices.shape
        let isPacked = operation.message.attributes["shape"] != nil || operation.has("shape")
        let codes = LowFirstIntegers(bytes: bytes, bitCount: isPacked ? bitCount : 8)
        do {
            let count = try Shape.elementCount(shape)
            let (bits, overflow) = count.multipliedReportingOverflow(by: codes.bitCount)
            guard !overflow, bytes.count >= (bits + 7) / 8 else {
                throw FormatError.invalid("\(bytes.count) bytes of indices do not fill the shape \(shape)")
            }
            try define(
                try Tensor(.float32, shape: shape) { buffer in
                    let targets = buffer.bindMemory(to: Float.self)
                    for index in targets.indices { targets[index] = numbers[min(Int(codes[index]), numbers.count - 1)] }
                }, operation, program)
        } catch {
            throw FormatError(error)
        }
    }

    /// Places numbers where a bit of a mask is set, and 0 elsewhere.
    static func sparse(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let values = try operation.tensor("nonzero_data"), let mask = try operation.tensor("mask") else {
            throw .invalid("numbers and a mask are expected")
        }
        let numbers = values.elements(as: Float.self)
        let bytes = mask.elements(as: UInt8.self)
        let shape = try operation.ints("shape") ?? mask.shape
        let isPacked = operation.message.attributes["shape"] != nil || operation.has("shape")
        let bits = LowFirstIntegers(bytes: bytes, bitCount: isPacked ? 1 : 8)
        do {
            let count = try Shape.elementCount(shape)
            guard bytes.count >= (isPacked ? count / 8 + (count % 8 == 0 ? 0 : 1) : count) else {
                throw FormatError.invalid("a mask of \(bytes.count) bytes does not fill the shape \(shape)")
            }
            var next = 0
            let tensor = try Tensor(.float32, shape: shape) { buffer in
                let targets = buffer.bindMemory(to: Float.self)
                for index in targets.indices {
                    let isSet = bits[index] != 0
                    targets[index] = isSet && next < numbers.count ? numbers[next] : 0
                    if isSet { next += 1 }
                }
            }
            guard next == numbers.count else {
                throw FormatError.invalid("a mask of \(next) elements for \(numbers.count) numbers")
            }
            try define(tensor, operation, program)
        } catch {
            throw FormatError(error)
        }
    }
}
