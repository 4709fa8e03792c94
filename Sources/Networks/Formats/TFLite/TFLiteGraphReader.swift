import Graphs
import Tensors

/// Turns a subgraph into a graph.
///
/// Tensors of four axes are channels-last in the file, but operators on windows need the channels second. A tensor
/// keeps the order in which it was computed, and is transposed when an operator needs the other order.
struct TFLiteGraphReader {
    /// The values of the graph that represent one tensor.
    struct Forms {
        /// The value with the axes as in the file.
        var plain: Graph.ValueID?
        /// The value with the last axis moved to the second place.
        var channelsFirst: Graph.ValueID?
        /// Whether `channelsFirst` was computed, and `plain` follows from it.
        var isChannelsFirst = false
    }

    let model: TFLiteModel
    let subgraph: TFLiteModel.Subgraph
    var writer: GraphWriter
    var constants: TFLiteConstants
    var forms: [Forms]
    /// The dequantized numbers of quantized tensors, where an operator reads them.
    var numbers: [Int: Forms] = [:]
    /// Whether operands are read as numbers and results rounded, for operators without integer arithmetic.
    var readsNumbers = false
    private let tensorNames: [String]
    private let outputs: Set<Int>

    private static let operatorLimit = 50_000
    /// The maximum number of integers that describe an operation, such as axes or a shape.
    private static let maximumIntegerCount = 1 << 16

    init(_ model: TFLiteModel) throws(FormatError) {
        guard let subgraph = model.subgraphs.first else { throw .invalid("the model holds no graph") }
        guard subgraph.operators.count <= Self.operatorLimit else {
            throw .unsupported("the model has \(subgraph.operators.count) operators, more than \(Self.operatorLimit)")
        }
        self.model = model
        self.subgraph = subgraph
        var writer = GraphWriter(name: subgraph.name.isEmpty ? "main" : subgraph.name)
        constants = TFLiteConstants(model, subgraph)
        forms = [Forms](repeating: Forms(), count: subgraph.tensors.count)
        outputs = Set(subgraph.outputs)
        tensorNames = subgraph.tensors.enumerated().map { index, tensor in
            writer.makeValueName(tensor.name.isEmpty ? "tensor_\(index)" : tensor.name)
        }
        self.writer = writer
    }

    mutating func read() throws(FormatError) -> Graph {
        try addInputs()
        for entry in subgraph.operators {
            let node = try node(entry)
            readsNumbers = false
            for output in node.outputs where forms[output].plain != nil || forms[output].channelsFirst != nil {
                throw node.invalid("tensor \"\(tensorNames[output])\" is computed twice")
            }
            for input in node.inputs where input >= 0 {
                guard forms[input].plain != nil || forms[input].channelsFirst != nil || constants.contains(input) else {
                    throw node.invalid("reads tensor \"\(tensorNames[input])\", which nothing provides")
                }
            }
            try add(node)
            for output in node.outputs where forms[output].plain == nil && forms[output].channelsFirst == nil {
                throw node.unsupported("output \"\(tensorNames[output])\"")
            }
        }
        try addOutputs()
        return writer.graph
    }

    private func node(_ entry: TFLiteModel.Operator) throws(FormatError) -> TFLiteNode {
        let code = model.operatorCodes[entry.code]
        let name = entry.outputs.first.map { tensorNames[$0] } ?? "operator \(entry.code)"
        guard let kind = TFLiteBuiltin(rawValue: code.builtin) else {
            throw .unsupported(
                "\(TFLiteOperatorNames.phrase(code.builtin)) of TensorFlow Lite, at \"\(name)\", is not supported; "
                    + TFLiteOperatorNames.remedy(code.builtin))
        }
        return TFLiteNode(
            name: name, kind: kind, inputs: entry.inputs, outputs: entry.outputs, options: entry.options,
            customOptions: entry.customOptions, custom: code.custom)
    }

    private mutating func addInputs() throws(FormatError) {
        for index in subgraph.inputs {
            let tensor = subgraph.tensors[index]
            guard forms[index].plain == nil else { throw .invalid("input \"\(tensorNames[index])\" is listed twice") }
            guard let elementType = TFLiteElementType.elementType(tensor.type) else {
                throw .unsupported(
                    "input \"\(tensorNames[index])\" has elements of type \(TFLiteElementType.name(tensor.type))")
            }
            let dimensions = tensor.signature.enumerated().map { axis, extent -> Dimension in
                if extent >= 0 { return .fixed(extent) }
                return axis == 0 ? .batch : .symbol("\(tensorNames[index])_\(axis)")
            }
            let id = writer.addInput(tensorNames[index], elementType, Shape(dimensions), extents: tensor.shape)
            writer.graph.values[id.index].quantization = tensor.quantization
            forms[index].plain = id
        }
    }

    private mutating func addOutputs() throws(FormatError) {
        guard !subgraph.outputs.isEmpty else { throw .invalid("the graph has no outputs") }
        for index in subgraph.outputs {
            guard forms[index].plain != nil || forms[index].channelsFirst != nil || constants.contains(index) else {
                throw .invalid("output \"\(tensorNames[index])\": nothing provides it")
            }
            var id = try plain(index)
            if writer.graph.outputs.contains(id) {
                let quantization = writer.graph.values[id.index].quantization
                id = try apply(Identity(), [id], tensorNames[index])[0]
                writer.graph.values[id.index].quantization = quantization
            }
            writer.graph.outputs.append(id)
        }
    }

    /// Adds a node and infers the types of its outputs.
    ///
    /// - Parameters:
    ///   - label: The node's name.
    ///   - count: The number of its outputs.
    mutating func apply(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], _ label: String, count: Int = 1
    ) throws(FormatError) -> [Graph.ValueID] {
        do throws(GraphError) {
            return try writer.addNode(operation, inputs, named: label, outputCount: count)
        } catch {
            throw .graph(error)
        }
    }

    /// Adds a node with one output.
    mutating func apply(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        try apply(operation, inputs, node.name)[0]
    }

    /// Adds a constant array.
    mutating func addConstant(_ tensor: Tensor, _ label: String) -> Graph.ValueID {
        writer.addConstant(tensor, named: label)
    }

    /// Adds a constant array of integers that an operator reads.
    mutating func addIntegers(_ values: [Int], _ node: TFLiteNode) throws(FormatError) -> Graph.ValueID {
        let tensor = try node.checked { () throws(OperatorError) in
            try Tensor.constant(values.map(Int64.init), shape: [values.count])
        }
        return addConstant(tensor, "\(node.name)/integers")
    }
}

extension TFLiteGraphReader {
    /// Sets the value of a tensor with the axes as in the file.
    mutating func define(_ index: Int, _ value: Graph.ValueID) {
        forms[index] = Forms(plain: value)
        describe(index, value, isMain: true)
    }

    /// Sets the value of a tensor with the last axis moved to the second place.
    mutating func define(_ index: Int, channelsFirst value: Graph.ValueID) {
        forms[index] = Forms(channelsFirst: value, isChannelsFirst: true)
        describe(index, value, isMain: !outputs.contains(index))
    }

    /// Gives a value the name of its tensor, and its scale and zero point.
    private mutating func describe(_ index: Int, _ value: Graph.ValueID, isMain: Bool) {
        let isComputed = writer.graph.initializers[value] == nil && !writer.graph.inputs.contains(value)
        if isMain, isComputed, writer.graph.values[value.index].name != tensorNames[index] {
            writer.graph.values[value.index].name = tensorNames[index]
        }
        var quantization = subgraph.tensors[index].quantization
        if let axis = quantization?.axis, forms[index].isChannelsFirst {
            quantization?.axis = Self.channelsFirst(axis, rank: subgraph.tensors[index].shape.count)
        }
        writer.graph.values[value.index].quantization = quantization
    }

    /// The value of a tensor with the axes as in the file.
    mutating func plain(_ index: Int) throws(FormatError) -> Graph.ValueID {
        if readsNumbers, let forms = try number(index) { return try plain(forms, index) }
        if let value = forms[index].plain { return value }
        if forms[index].channelsFirst == nil, let constant = try constants.tensor(index) {
            let value = writer.addConstant(constant, exactlyNamed: tensorNames[index])
            writer.graph.values[value.index].quantization = subgraph.tensors[index].quantization
            forms[index].plain = value
            return value
        }
        let value = try plain(forms[index], index)
        forms[index].plain = value
        describe(index, value, isMain: outputs.contains(index))
        return value
    }

    /// The value of a tensor of at least three axes with the last axis moved to the second place.
    mutating func channelsFirst(_ index: Int) throws(FormatError) -> Graph.ValueID {
        if readsNumbers, let forms = try number(index) {
            if let value = forms.channelsFirst { return value }
            let value = try transposed(try plain(forms, index), toChannelsFirst: true)
            numbers[index]?.channelsFirst = value
            return value
        }
        if let value = forms[index].channelsFirst { return value }
        let value = try transposed(try plain(index), toChannelsFirst: true)
        forms[index].channelsFirst = value
        return value
    }

    /// Whether an input or an operator gives the tensor.
    private func isComputed(_ index: Int) -> Bool {
        guard let value = forms[index].plain else { return forms[index].channelsFirst != nil }
        return writer.graph.initializers[value] == nil
    }

    private mutating func plain(_ forms: Forms, _ index: Int) throws(FormatError) -> Graph.ValueID {
        if let value = forms.plain { return value }
        guard let value = forms.channelsFirst else {
            throw .invalid("tensor \"\(tensorNames[index])\": nothing provides it")
        }
        return try transposed(value, toChannelsFirst: false)
    }

    /// The dequantized numbers of a quantized tensor; nil for other tensors.
    private mutating func number(_ index: Int) throws(FormatError) -> Forms? {
        if let forms = numbers[index] { return forms }
        guard let quantization = subgraph.tensors[index].quantization,
            let type = TFLiteElementType.elementType(subgraph.tensors[index].type), !type.isFloatingPoint
        else { return nil }
        var result = Forms()
        if !isComputed(index), let constant = try constants.tensor(index) {
            let numbers = try TFLiteQuantization.numbers(constant, quantization)
            result.plain = addConstant(numbers, "\(tensorNames[index])/numbers")
        } else {
            result.isChannelsFirst = forms[index].isChannelsFirst
            readsNumbers = false
            defer { readsNumbers = true }
            let source = try result.isChannelsFirst ? channelsFirst(index) : plain(index)
            let value = try dequantized(source, quantization, type, "\(tensorNames[index])/numbers")
            if result.isChannelsFirst { result.channelsFirst = value } else { result.plain = value }
        }
        numbers[index] = result
        return result
    }

    /// The dequantized numbers of integers with one scale.
    mutating func dequantized(
        _ value: Graph.ValueID, _ quantization: Quantization, _ type: ElementType, _ label: String
    ) throws(FormatError) -> Graph.ValueID {
        let scales = try TFLiteQuantization.parameters(quantization, type)
        let shape = quantization.axis == nil ? [] : [quantization.scales.count]
        guard let scale = try? scales.scales.reshaped(to: shape), let point = try? scales.zeroPoints.reshaped(to: shape)
        else { throw .invalid("\(label): its scales do not fit") }
        let operation = DequantizeLinear(grid: QuantizationGrid(axis: quantization.axis ?? 1))
        let inputs = [value, addConstant(scale, "\(label)/scale"), addConstant(point, "\(label)/zero_point")]
        return try apply(operation, inputs, label)[0]
    }

    private mutating func transposed(
        _ value: Graph.ValueID, toChannelsFirst: Bool
    ) throws(FormatError) -> Graph.ValueID {
        let rank = rank(value)
        guard rank >= 3 else {
            throw .invalid("value \"\(writer.graph[value].name)\" has \(rank) axes, too few for a picture")
        }
        let inner = Array(1..<rank - 1)
        let order = toChannelsFirst ? [0, rank - 1] + inner : [0] + inner.map { $0 + 1 } + [1]
        if let constant = writer.graph.initializers[value], let moved = try? constant.transposed(order).contiguous() {
            return addConstant(moved, "\(writer.graph[value].name)/transposed")
        }
        return try apply(Transpose(permutation: order), [value], "\(writer.graph[value].name)/transposed")[0]
    }

    /// The position of an axis of the file when the last axis is moved to the second place.
    static func channelsFirst(_ axis: Int, rank: Int) -> Int {
        axis == 0 ? 0 : axis == rank - 1 ? 1 : axis + 1
    }

    /// The number of axes of a value.
    func rank(_ value: Graph.ValueID) -> Int { writer.types[value.index]?.rank ?? writer.graph[value].shape?.rank ?? 0 }

    /// The number of axes of a tensor.
    func rank(_ index: Int) -> Int {
        if let value = forms[index].plain ?? forms[index].channelsFirst, let type = writer.types[value.index] {
            return type.rank
        }
        return subgraph.tensors[index].shape.count
    }

    /// The known extents of a tensor for a batch of one.
    func extents(_ index: Int) -> [Int] {
        if let value = forms[index].plain, let type = writer.types[value.index] { return type.shape }
        if let value = forms[index].channelsFirst, let shape = writer.types[value.index]?.shape, shape.count >= 2 {
            return [shape[0]] + shape[2...] + [shape[1]]
        }
        return subgraph.tensors[index].shape
    }

    /// The extents of a tensor, nil where they follow from an open axis of an input.
    func openExtents(_ index: Int) -> [Int?] {
        if let value = forms[index].plain, let extents = writer.extents(of: value) { return extents }
        if let value = forms[index].channelsFirst, let extents = writer.extents(of: value), extents.count >= 2 {
            return [extents[0]] + extents[2...] + [extents[1]]
        }
        return subgraph.tensors[index].shape
    }

    /// The extents of a tensor, some of which must not follow from an open axis of an input.
    func extents(
        _ index: Int, fixing axes: some Sequence<Int>, _ node: TFLiteNode
    ) throws(FormatError) -> [Int] {
        let open = openExtents(index)
        for axis in axes where open.indices.contains(axis) && open[axis] == nil {
            throw node.unsupported(
                "axis \(axis) of \"\(subgraph.tensors[index].name)\", whose extent is known only while the network runs"
            )
        }
        return extents(index)
    }

    /// The element type of a tensor.
    func elementType(_ index: Int) -> ElementType? { TFLiteElementType.elementType(subgraph.tensors[index].type) }

    /// The scale and zero point of a tensor of 8 or 16 bits that has one of each.
    func quantization(_ index: Int) -> Quantization? {
        guard elementType(index)?.quantizedRange != nil, let quantization = subgraph.tensors[index].quantization,
            quantization.axis == nil, quantization.scale != nil
        else { return nil }
        return quantization
    }

    /// The integers of an operand, which must be known before a run.
    mutating func integers(_ node: TFLiteNode, _ position: Int) throws(FormatError) -> [Int] {
        let index = try node.input(position)
        if !isComputed(index), let constant = try constants.tensor(index) {
            guard constant.elementCount <= Self.maximumIntegerCount else {
                throw node.invalid("input \(position) has \(constant.elementCount) integers, too many")
            }
            return constant.elements(as: Int64.self).map(Int.init)
        }
        if let integers = try followedIntegers(node, position) {
            let known = integers.compactMap { $0 }
            if known.count == integers.count { return known }
        }
        throw node.unsupported("input \(position) that is known only while the network runs")
    }

    /// The integers of an operand, nil where they follow from an open axis of an input.
    ///
    /// - Throws: ``FormatError`` when they are known only in a run for another reason.
    mutating func openIntegers(_ node: TFLiteNode, _ position: Int) throws(FormatError) -> [Int?] {
        if let integers = try followedIntegers(node, position) { return integers }
        return try integers(node, position)
    }

    private mutating func followedIntegers(_ node: TFLiteNode, _ position: Int) throws(FormatError) -> [Int?]? {
        let index = try node.input(position)
        guard forms[index].plain != nil || forms[index].channelsFirst != nil else { return nil }
        return writer.integers(of: try plain(index))
    }

    /// An operand of integers as a vector of int64, as operators of ONNX read it.
    mutating func integerValue(_ node: TFLiteNode, _ position: Int) throws(FormatError) -> Graph.ValueID {
        let wide = try apply(Cast(to: .int64), [try plain(try node.input(position))], "\(node.name)/integers")[0]
        return try apply(Reshape(), [wide, try addIntegers([-1], node)], "\(node.name)/integers")[0]
    }

    /// A vector of numbers, and of extents of values that are known only in a run.
    mutating func addExtents(_ extents: [TFLiteExtent], _ node: TFLiteNode) throws(FormatError) -> Graph.ValueID {
        let numbers = extents.compactMap(\.number)
        if numbers.count == extents.count { return try addIntegers(numbers, node) }
        var parts: [Graph.ValueID] = []
        for extent in extents {
            switch extent {
            case .fixed(let number): parts.append(try addIntegers([number], node))
            case .open(let value, let axis, let operation, let operand):
                let shape = ShapeOperator(start: axis, end: axis + 1)
                var part = try apply(shape, [value], "\(node.name)/extent")[0]
                if let operation {
                    part = try apply(operation, [part, try addIntegers([operand], node)], "\(node.name)/extent")[0]
                }
                parts.append(part)
            }
        }
        return try apply(Concat(axis: 0), parts, "\(node.name)/extents")[0]
    }
}

/// An extent of a shape.
enum TFLiteExtent {
    case fixed(Int)
    /// The extent of a value along an axis, to which an operator applies a number.
    case open(Graph.ValueID, axis: Int, (any Operator)?, Int)

    var number: Int? { if case .fixed(let number) = self { number } else { nil } }
}
