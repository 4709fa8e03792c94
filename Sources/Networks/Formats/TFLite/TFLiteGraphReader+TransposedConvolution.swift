import Graphs
import Tensors

extension TFLiteGraphReader {
    mutating func addTransposedConvolution(_ node: TFLiteNode) throws(FormatError) {
        let shape = try openIntegers(node, 0)
        let (weights, input) = (try node.input(1), try node.input(2))
        guard shape.count == 4, shape.allSatisfy({ $0 ?? 1 > 0 }), rank(weights) == 4, rank(input) == 4 else {
            throw node.invalid("the shape \(shape.map { $0 ?? 0 }) and its operands must have four axes")
        }
        let strides = [try node.int(2), try node.int(1)]
        guard strides.allSatisfy({ (1...Int(Int32.max)).contains($0) }) else {
            throw node.invalid("strides \(strides)")
        }
        let activation = try node.activation(3)
        if let requantization = try requantization(node, activation, outputChannelAxis: 0, input: 2),
            let value = try phases(node, stride: strides, size: Array(shape[1...2]), requantization)
        {
            define(try node.output(), value)
            return
        }
        var operation = ConvTranspose(strides: strides, autoPad: .sameUpper)
        if let height = shape[1], let width = shape[2] {
            operation.outputShape = [height, width]
        } else {
            // The paddings are the same for all extents.
            let surplus = try surplus(node, strides)
            let kernel = try extents(weights, fixing: 0..<4, node)[1...2]
            let pads = zip(zip(kernel, strides), surplus).map { $0.0 - $0.1 - $1 }
            operation.window.autoPad = .notSet
            operation.window.pads = pads.map { max(0, $0) / 2 } + pads.map { max(0, $0) - max(0, $0) / 2 }
            operation.outputPadding = pads.map { max(0, -$0) }
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            var operands: [Graph.ValueID?] = [
                try reader.channelsFirst(input), try reader.arranged(weights, [3, 0, 1, 2], node),
            ]
            if let bias = node.optionalInput(3) { operands.append(try reader.plain(bias)) }
            let value = try reader.apply(operation, operands, node)
            return (try reader.activated(value, activation, node), true)
        }
    }

    /// How much longer each axis of the result is than the input's times the stride, where that is the same for all
    /// extents.
    private mutating func surplus(_ node: TFLiteNode, _ strides: [Int]) throws(FormatError) -> [Int] {
        let (shape, input) = (try plain(try node.input(0)), try channelsFirst(try node.input(2)))
        var found: Set<[Int]> = []
        if let shapes = writer.allTypes(of: shape), let inputs = writer.allTypes(of: input) {
            let probed = max(shapes.count, inputs.count)
            for index in 0..<probed {
                let size = shapes[min(index, shapes.count - 1)].constant?.elements(as: Int64.self).map(Int.init) ?? []
                let extents = inputs[min(index, inputs.count - 1)].shape
                guard size.count == 4, extents.count == 4 else { break }
                found.insert((0..<2).map { size[1 + $0] - extents[2 + $0] * strides[$0] })
            }
            if shapes.count == 1 || inputs.count == 1, probed > 1 { found = [] }
        }
        guard let surplus = found.first, found.count == 1, surplus.allSatisfy({ $0.magnitude < 1 << 24 }) else {
            throw node.unsupported("a shape that is known only while the network runs")
        }
        return surplus
    }

    /// Adds MediaPipe's transposed convolution with a bias. Its options are three integers of 32 bits: the padding, and
    /// the strides along the width and the height. Where windows do not overlap, neither kind of padding pads.
    ///
    /// Reference: `mediapipe/util/tflite/operations/transpose_conv_bias.cc` of
    /// https://github.com/google-ai-edge/mediapipe
    mutating func addTransposedConvolutionWithBias(_ node: TFLiteNode) throws(FormatError) {
        let (input, weights) = (try node.input(0), try node.input(1))
        let bytes = model.file.bytes[node.customOptions ?? 0..<0]
        guard bytes.count == 12 else { throw node.invalid("its options are \(bytes.count) bytes, not 12") }
        func option(_ index: Int) -> Int {
            let word = bytes.dropFirst(4 * index).prefix(4)
            return Int(word.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        }
        let strides = [option(2), option(1)]
        guard rank(weights) == 4, rank(input) == 4 else { throw node.invalid("its operands must have four axes") }
        guard Array(extents(weights)[1...2]) == strides else {
            throw node.unsupported("windows \(extents(weights)) that overlap or lie apart at strides \(strides)")
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            var operands: [Graph.ValueID?] = [
                try reader.channelsFirst(input), try reader.arranged(weights, [3, 0, 1, 2], node),
            ]
            if let bias = node.optionalInput(2) { operands.append(try reader.plain(bias)) }
            return (try reader.apply(ConvTranspose(strides: strides), operands, node), true)
        }
    }

    /// The maximum number of multipliers of all phases. Beyond it, the operator computes with dequantized numbers.
    private static let maximumFactorCount = 1 << 20

    /// A transposed convolution as one convolution that computes, for every pixel, a block of stride × stride results.
    ///
    /// Result o of an axis is Σ x[i] · w[k] over i · stride + k = o + pad. With o + pad = b · stride + r, that is a sum
    /// over j of x[b − j] · w[r + j · stride]: for each phase r a convolution with every stride-th tap, from the last.
    /// Nil when the weights are not constant or the strides of the axes differ.
    private mutating func phases(
        _ node: TFLiteNode, stride strides: [Int], size given: [Int?], _ requantization: Requantization
    ) throws(FormatError) -> Graph.ValueID? {
        let (weights, input, stride) = (try node.input(1), try node.input(2), strides[0])
        guard strides[1] == stride, stride <= 16, let constant = try constants.tensor(weights),
            constant.elementType != .int4
        else { return nil }
        let kernel = Array(constant.shape[1...2])
        let open = openExtents(input)[1...2] + given
        let isOpen = open.contains(nil)
        let extents = Array(extents(input)[1...2])
        // Where extents are open, those of one picture tell how much is padded and cut for all.
        let surplus = try isOpen ? surplus(node, strides) : []
        let size = (0..<2).map { isOpen ? extents[$0] * stride + surplus[$0] : given[$0] ?? 0 }
        guard kernel.allSatisfy({ (1...1 << 10).contains($0) }), extents.allSatisfy({ (1...1 << 20).contains($0) }),
            size.allSatisfy({ $0 <= 1 << 24 })
        else { return nil }
        var bias: Graph.ValueID?
        if let index = node.optionalInput(3) {
            guard let values = try constants.tensor(index), values.shape == [constant.shape[0]] else { return nil }
            bias = addConstant(try Self.repeated(values, count: stride * stride), "\(node.name)/bias")
        }
        // The padding before, the number of blocks needed, and the padding after the last pixel that they read.
        let isSame = try node.byte(0) == 0
        let pads = (0..<2).map { isSame ? max(0, (extents[$0] - 1) * stride + kernel[$0] - size[$0]) / 2 : 0 }
        let blocks = (0..<2).map { (size[$0] - 1 + pads[$0]) / stride + 1 }
        let after = (0..<2).map { max(0, blocks[$0] - extents[$0]) }
        let taps = kernel.map { ($0 + stride - 1) / stride }
        var repeated = requantization
        if case .fixedPoint(let factors) = requantization.factors, factors.count > 1 {
            guard factors.count * stride * stride <= Self.maximumFactorCount else { return nil }
            repeated.factors = .fixedPoint(Array(repeatElement(factors, count: stride * stride).joined()))
        }
        var convolution = Conv()
        convolution.window = SpatialWindow(
            kernel: taps, strides: [1, 1], dilations: [1, 1], pads: [taps[0] - 1, taps[1] - 1] + after)
        let operation = IntegerConv(
            convolution, inputZeroPoint: zeroPoint(input), weightZeroPoint: zeroPoint(weights),
            requantization: repeated)
        let filters = try phaseFilters(constant, stride: stride, taps: taps, fill: zeroPoint(weights), node)
        var operands: [Graph.ValueID?] = [try channelsFirst(input), filters]
        if let bias { operands.append(bias) }
        var value = try apply(operation, operands, "\(node.name)/phases")[0]
        if isOpen {
            if stride > 1 {
                value = try apply(DepthToSpace(blockSize: stride), [value], "\(node.name)/joined")[0]
            }
            let ends = (0..<2).map { axis in
                let rest = (extents[axis] + after[axis]) * stride - pads[axis] - size[axis]
                return rest == 0 ? SliceBound.last : -rest
            }
            var cut: [Graph.ValueID?] = [value]
            for list in [pads, ends, [2, 3]] { cut.append(try addIntegers(list, node)) }
            value = try apply(Slice(), cut, "\(node.name)/cut")[0]
            return try apply(Transpose(permutation: [0, 2, 3, 1]), [value], node)
        }
        value = try apply(Transpose(permutation: [0, 2, 3, 1]), [value], "\(node.name)/rows")[0]
        if stride > 1 {
            let (height, width) = (extents[0] + after[0], extents[1] + after[1])
            let split = try addIntegers([-1, height, width, stride, stride, constant.shape[0]], node)
            value = try apply(Reshape(), [value, split], "\(node.name)/split")[0]
            value = try apply(Transpose(permutation: [0, 1, 3, 2, 4, 5]), [value], "\(node.name)/moved")[0]
            let joined = try addIntegers([-1, height * stride, width * stride, constant.shape[0]], node)
            value = try apply(Reshape(), [value, joined], "\(node.name)/joined")[0]
        }
        var cut: [Graph.ValueID?] = [value]
        for list in [pads, [pads[0] + size[0], pads[1] + size[1]], [1, 2]] { cut.append(try addIntegers(list, node)) }
        return try apply(Slice(), cut, node)
    }

    /// Weights [M, KH, KW, C] of one byte each as filters [stride² · M, C, taps…]. Each phase has every stride-th tap,
    /// from the last.
    private mutating func phaseFilters(
        _ weights: Tensor, stride: Int, taps: [Int], fill: Int32, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let (features, height, width, channels) = (
            weights.shape[0], weights.shape[1], weights.shape[2], weights.shape[3]
        )
        let shape = [stride * stride * features, channels] + taps
        do {
            let filters = try Tensor(weights.elementType, shape: shape) { filters in
                try weights.withContiguousBytes { values in
                    var next = 0
                    for phase in 0..<stride * stride {
                        for pair in 0..<features * channels {
                            let (feature, channel) = pair.quotientAndRemainder(dividingBy: channels)
                            for y in (0..<taps[0]).reversed() {
                                for x in (0..<taps[1]).reversed() {
                                    let (row, column) = (phase / stride + y * stride, phase % stride + x * stride)
                                    let isInside = row < height && column < width
                                    let index = ((feature * height + row) * width + column) * channels + channel
                                    filters[next] = isInside ? values[index] : UInt8(truncatingIfNeeded: fill)
                                    next += 1
                                }
                            }
                        }
                    }
                }
            }
            return addConstant(filters, "\(node.name)/filters")
        } catch {
            throw FormatError(error)
        }
    }

    /// The integers of a tensor one after another, `count` times.
    private static func repeated(_ values: Tensor, count: Int) throws(FormatError) -> Tensor {
        do {
            return try Tensor(values.elementType, shape: [values.elementCount * count]) { buffer in
                try values.withContiguousBytes { bytes in
                    for start in stride(from: 0, to: buffer.count, by: max(bytes.count, 1)) {
                        UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + bytes.count])
                            .copyMemory(from: bytes)
                    }
                }
            }
        } catch {
            throw FormatError(error)
        }
    }
}
