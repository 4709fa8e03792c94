import Tensors

/// Weights that are stored in fewer bits. They become constants whose numbers are computed when they are needed.
///
/// Reference: `converters/mil/mil/ops/defs/iOS16/constexpr_ops.py` and `iOS18/compression.py` of
/// https://github.com/apple/coremltools
extension MILOperatorKind {
    private static func define(
        _ operation: MILOperation, _ program: MILTranslator, _ tensors: () throws -> [Tensor]
    ) throws(FormatError) {
        do {
            let results = try tensors()
            guard !operation.outputs.isEmpty, operation.outputs.count <= results.count else {
                throw FormatError.invalid("has \(operation.outputs.count) outputs; \(results.count) are expected")
            }
            for (name, tensor) in zip(operation.outputs, results) { program.define(name, .tensor(tensor)) }
        } catch {
            throw FormatError(error)
        }
    }

    /// scale · (code − zero point), with one scale or one for each index along an axis.
    static func affineDequantize(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (codes, scale) = (try operation.requiredTensor("quantized_data"), try operation.requiredTensor("scale"))
        let zero = try operation.tensor("zero_point")
        var axis = try operation.int("axis") ?? 0
        if axis < 0 { axis &+= codes.shape.count }
        guard scale.elementCount == 1 || (codes.shape.indices.contains(axis) && scale.elementCount == codes.shape[axis])
        else { throw .invalid("\(scale.elementCount) scales do not fit \(codes.shape) along axis \(axis)") }
        guard zero.map({ [1, scale.elementCount].contains($0.elementCount) }) ?? true else {
            throw .invalid("\(zero?.elementCount ?? 0) zero points do not fit \(scale.elementCount) scales")
        }
        try define(operation, program) {
            func aligned(_ numbers: Tensor) throws -> Tensor {
                var shape = [Int](repeating: 1, count: codes.shape.count)
                if numbers.elementCount > 1 { shape[axis] = numbers.elementCount }
                return try numbers.reshaped(to: shape)
            }
            return [try codes.rescaled(by: try aligned(scale), offset: try zero.map(aligned))]
        }
    }

    /// scale · (code − offset), with a scale for each block of elements.
    static func blockwiseShiftScale(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (codes, scale) = (try operation.requiredTensor("data"), try operation.requiredTensor("scale"))
        let offset = try operation.tensor("offset")
        try define(operation, program) { [try codes.rescaled(by: scale, offset: offset)] }
    }

    /// Looks up codes in tables. In the older form a table is a list and codes are packed from the lowest bits up.
    static func lookupTable(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (indices, table) = (try operation.requiredTensor("indices"), try operation.requiredTensor("lut"))
        let (shape, axis) = (try operation.ints("shape"), try operation.int("vector_axis"))
        try define(operation, program) {
            guard let shape else { return [try indices.lookedUp(in: table, vectorAxis: axis)] }
            guard let bitCount = (1...8).first(where: { 1 << $0 == table.elementCount }) else {
                throw FormatError.invalid(
                    "a table of \(table.elementCount) numbers; 2 to 256, powers of 2, are possible")
            }
            let codes = try packed(indices, bitCount, shape)
            let tables = try table.reshaped(to: shape.map { _ in 1 } + [table.elementCount, 1])
            return [try codes.lookedUp(in: tables, vectorAxis: nil)]
        }
    }

    /// Integers that are packed in bytes from the lowest bits up.
    private static func packed(_ bytes: Tensor, _ bitCount: Int, _ shape: [Int]) throws -> Tensor {
        let bits = try Shape.elementCount(shape) * bitCount
        guard bytes.elementType.byteCount == 1, bytes.elementCount >= (bits + 7) / 8 else {
            throw FormatError.invalid(
                "\(bytes.elementCount) bytes do not fill the shape \(shape) with \(bitCount) bits")
        }
        return try bytes.unpacked(bitCount, shape: shape)
    }

    /// Places numbers where a bit of a mask is set, and 0 elsewhere. In the older form the mask's bits are packed.
    static func sparse(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (values, mask) = (try operation.requiredTensor("nonzero_data"), try operation.requiredTensor("mask"))
        let shape = try operation.ints("shape")
        try define(operation, program) {
            [try values.placed(where: try shape.map { try packed(mask, 1, $0) } ?? mask)]
        }
    }

    /// Looks up the codes of a sparse array: gives the mask, and the numbers where it is set.
    static func sparseLookupTable(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (mask, indices) = (
            try operation.requiredTensor("indices_mask"), try operation.requiredTensor("indices_nonzero_data")
        )
        let (table, axis) = (try operation.requiredTensor("lut"), try operation.int("vector_axis"))
        try define(operation, program) {
            let numbers = try indices.placed(where: mask).converted(to: .uint8).lookedUp(in: table, vectorAxis: axis)
            // A mask as codes of 0 and 1, whose vectors are all 0 and all 1.
            let width = table.shape.last ?? 1
            let bits = try Tensor(shape: mask.shape.map { _ in 1 } + [2, width]) { $0 < width ? 0 : 1 }
            let wide = try mask.flags().lookedUp(in: bits, vectorAxis: axis).converted(to: .uint8)
            return [wide, try numbers.selected(where: wide)]
        }
    }

    /// scale · (code − offset) for the codes of a sparse array: gives the mask, and the numbers where it is set.
    static func sparseShiftScale(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (mask, values) = (
            try operation.requiredTensor("data_mask"), try operation.requiredTensor("nonzero_data")
        )
        let (scale, offset) = (try operation.requiredTensor("scale"), try operation.tensor("offset"))
        try define(operation, program) {
            let numbers = try values.placed(where: mask).rescaled(by: scale, offset: offset)
            return [mask, try numbers.selected(where: mask)]
        }
    }
}

extension Tensor {
    /// scale · (code − offset). Every axis is divided into as many blocks of equal length as the scale has elements
    /// along it.
    fileprivate func rescaled(by scale: Tensor, offset: Tensor?) throws -> Tensor {
        guard scale.shape.count == shape.count, zip(scale.shape, shape).allSatisfy({ $0 > 0 && $1 % $0 == 0 }) else {
            throw FormatError.invalid("blockwise scales \(scale.shape) do not divide the axes of \(shape)")
        }
        guard offset.map({ $0.shape == scale.shape }) ?? true else {
            throw FormatError.invalid("offsets \(offset?.shape ?? []) for scales \(scale.shape)")
        }
        guard elementCount > 0 else { return try converted(to: .float32) }
        let (codes, scale) = (self, try scale.converted(to: .float32))
        let places = BlockPlaces(shape, blocks: zip(shape, scale.shape).map { $0 / $1 }, in: scale.shape)
        let offset = try offset?.converted(to: .float32)
        return try Tensor(deriving: .float32, shape: shape) { start throws(TensorError) in
            try scale.withNumbers { scales throws(TensorError) in
                try (offset ?? scale).withNumbers { offsets throws(TensorError) in
                    try codes.forEachPiece(as: Float.self) { first, piece throws(TensorError) in
                        for (index, code) in piece.enumerated() {
                            let place = places.place(of: first + index)
                            let number = (offset == nil ? code : code - offsets[place]) * scales[place]
                            start.storeBytes(of: number, toByteOffset: 4 * (first + index), as: Float.self)
                        }
                    }
                }
            }
        }
    }

    /// The numbers that codes stand for.
    ///
    /// - Parameters:
    ///   - table: [G₁, …, Gₖ, entries, vector] for codes with k axes. Axis i of the codes is divided into Gᵢ groups of
    ///     equal length, and each combination of groups has a table of its own.
    ///   - axis: The axis along which a vector's numbers follow one another.
    fileprivate func lookedUp(in table: Tensor, vectorAxis: Int?) throws -> Tensor {
        let rank = shape.count
        guard rank >= 1, table.shape.count == rank + 2 else {
            throw FormatError.invalid("a table of shape \(table.shape) for codes of shape \(shape)")
        }
        guard zip(table.shape, shape).allSatisfy({ $0 > 0 && $1 % $0 == 0 }) else {
            throw FormatError.invalid(
                "the groups of a table of shape \(table.shape) do not divide the axes of \(shape)")
        }
        let (entries, width) = (table.shape[rank], table.shape[rank + 1])
        guard (1...8).contains(where: { 1 << $0 == entries }), width >= 1 else {
            throw FormatError.invalid(
                "tables of \(entries) vectors of \(width) numbers; 2 to 256, powers of 2, are possible")
        }
        var axis = vectorAxis ?? 0
        if axis < 0 { axis &+= rank }
        guard shape.indices.contains(axis), vectorAxis != nil || width == 1 else {
            throw FormatError.invalid(
                "vectors of \(width) numbers along axis \(vectorAxis.map(String.init) ?? "none") of \(shape)")
        }
        guard elementType == .uint8 else { throw FormatError.invalid("codes of type \(elementType)") }
        var largest: UInt8 = 0
        try forEachPiece(as: UInt8.self) { _, piece in largest = piece.reduce(largest, max) }
        guard Int(largest) < entries else {
            throw FormatError.invalid("code \(largest) where a table has \(entries) entries")
        }
        let length = try Shape.elementCount([shape[axis], width])
        let result = shape.enumerated().map { $0 == axis ? length : $1 }
        let count = try Shape.elementCount(result)
        guard count > 0 else { return try Tensor(zeros: .float32, shape: result) }
        let (codes, numbers) = (self, try table.converted(to: .float32))
        var blocks = zip(shape, table.shape).map { $0 / $1 }
        blocks[axis] *= width
        let tables = BlockPlaces(result, blocks: blocks, in: table.shape)
        var single = [Int](repeating: 1, count: rank)
        single[axis] = width
        let places = BlockPlaces(result, blocks: single, in: shape)
        let inner = Shape.rowMajorStrides(result)[axis]
        return try Tensor(deriving: .float32, shape: result) { start throws(TensorError) in
            try numbers.withNumbers { numbers throws(TensorError) in
                try codes.withBytes { codes in
                    for index in 0..<count {
                        let code = codes[width == 1 ? index : places.place(of: index)]
                        let entry = tables.place(of: index) + Int(code) * width
                        start.storeBytes(
                            of: numbers[entry + index / inner % width], toByteOffset: 4 * index, as: Float.self)
                    }
                }
            }
        }
    }

    /// 1 where an element is not 0, and 0 elsewhere, as uint8.
    fileprivate func flags() throws -> Tensor {
        guard elementType.byteCount == 1 else { throw FormatError.invalid("a mask of type \(elementType)") }
        return try withContiguousBytes { bytes in
            try Tensor(.uint8, shape: shape) { buffer in
                for index in buffer.indices { buffer[index] = bytes[index] == 0 ? 0 : 1 }
            }
        }
    }

    /// These numbers, in order, where the elements of a mask are not 0, and 0 elsewhere.
    fileprivate func placed(where mask: Tensor) throws -> Tensor {
        let (flags, numbers) = (try mask.flags(), try converted(to: .float32))
        let count = numbers.elementCount
        var isSetCount = 0
        try flags.forEachPiece(as: UInt8.self) { _, piece in isSetCount += piece.count { $0 != 0 } }
        guard isSetCount == count else {
            throw FormatError.invalid("a mask of \(isSetCount) elements for \(count) numbers")
        }
        return try Tensor(deriving: .float32, shape: mask.shape) { start throws(TensorError) in
            try numbers.withNumbers { numbers throws(TensorError) in
                var next = 0
                try flags.forEachPiece(as: UInt8.self) { first, piece in
                    for (index, flag) in piece.enumerated() {
                        let number = flag == 0 ? 0 : numbers[next]
                        next += Int(flag)
                        start.storeBytes(of: number, toByteOffset: 4 * (first + index), as: Float.self)
                    }
                }
            }
        }
    }

    /// The numbers, in order, for which the elements of a mask of the same shape are not 0.
    fileprivate func selected(where mask: Tensor) throws -> Tensor {
        let flags = try mask.flags()
        var count = 0
        try flags.forEachPiece(as: UInt8.self) { _, piece in count += piece.count { $0 != 0 } }
        let numbers = self
        return try Tensor(deriving: .float32, shape: [count]) { start throws(TensorError) in
            var next = 0
            try flags.withBytes { flags throws(TensorError) in
                try numbers.forEachPiece(as: Float.self) { first, piece in
                    for (index, number) in piece.enumerated() where flags[first + index] != 0 {
                        start.storeBytes(of: number, toByteOffset: 4 * next, as: Float.self)
                        next += 1
                    }
                }
            }
        }
    }

    /// Calls `body` with the elements of a contiguous float32 tensor.
    private func withNumbers(_ body: (UnsafeBufferPointer<Float>) throws(TensorError) -> Void) throws(TensorError) {
        try withBytes { bytes throws(TensorError) in try body(bytes.bindMemory(to: Float.self)) }
    }

    /// Calls `body` with the bytes of a contiguous tensor.
    private func withBytes(_ body: (UnsafeRawBufferPointer) throws(TensorError) -> Void) throws(TensorError) {
        let tensor = try contiguous()
        try tensor.storage.load()
        try body(UnsafeRawBufferPointer(start: tensor.firstElement, count: byteCount))
        withExtendedLifetime(tensor) {}
    }
}

/// The places, in a smaller array, of the blocks in which the elements of an array lie.
private struct BlockPlaces: Sendable {
    /// For each axis: the distance of its neighbours in the array, its extent, the length of its blocks, and the
    /// distance of neighbouring blocks in the smaller array.
    private let axes: [(stride: Int, extent: Int, block: Int, step: Int)]

    /// - Parameters:
    ///   - shape: The shape of the array, without extents of 0.
    ///   - blocks: The length of a block along each axis.
    ///   - smaller: The shape of the smaller array, which may have further axes behind those of the array.
    init(_ shape: [Int], blocks: [Int], in smaller: [Int]) {
        let (strides, steps) = (Shape.rowMajorStrides(shape), Shape.rowMajorStrides(smaller))
        // An axis that is one block adds nothing.
        axes = shape.indices.compactMap { axis in
            blocks[axis] >= shape[axis] ? nil : (strides[axis], shape[axis], blocks[axis], steps[axis])
        }
    }

    func place(of index: Int) -> Int {
        axes.reduce(0) { $0 + index / $1.stride % $1.extent / $1.block * $1.step }
    }
}
