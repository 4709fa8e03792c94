import Graphs
import Tensors

/// Writes a graph node by node, and infers what each gives for one image, which the next may need to know.
struct GraphWriter {
    private(set) var graph: Graph
    private var types: [TensorType?] = []
    private var valueNames = UniqueNames()
    private var nodeNames = UniqueNames()
    /// How much may still be spent on following content through shape arithmetic.
    private var work = 20_000_000
    /// What names of nodes and values begin with.
    var scope = ""

    private static let mostNodes = 500_000

    init(name: String) {
        graph = Graph(name: name)
    }

    /// What is known of a value for one image.
    func type(of id: Graph.ValueID) -> TensorType? { types[id.index] }

    /// The extents of a value for one image.
    ///
    /// - Throws: ``FormatError/unsupported(_:)`` when only a run tells them.
    func shape(of id: Graph.ValueID) throws(FormatError) -> [Int] {
        guard let type = types[id.index] else {
            throw .unsupported("the shape of \"\(graph[id].name)\" is known only while the network runs")
        }
        return type.shape
    }

    /// Adds an input.
    ///
    /// - Parameters:
    ///   - shape: As declared, perhaps with symbols.
    ///   - extents: For one image.
    mutating func input(
        _ name: String, _ elementType: ElementType, _ shape: Shape, extents: [Int]
    ) throws(FormatError) -> Graph.ValueID {
        do { _ = try Shape.byteCount(extents, elementType) } catch { throw FormatError(error) }
        let id = add(name, TensorType(elementType, extents))
        graph.values[id.index].elementType = elementType
        graph.values[id.index].shape = shape
        graph.inputs.append(id)
        return id
    }

    /// Adds an input whose type the graph around tells.
    mutating func capture(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        let id = add(name, type.map { TensorType($0.elementType, $0.shape) })
        graph.inputs.append(id)
        return id
    }

    mutating func constant(_ tensor: Tensor, _ name: String = "constant") -> Graph.ValueID {
        let id = add(scope.isEmpty ? name : "\(scope).\(name)", nil)
        types[id.index] = TensorType(tensor, keepingContent: tensor.elementCount <= Graph.followedElementCount)
        graph.values[id.index].elementType = tensor.elementType
        graph.values[id.index].shape = Shape(tensor.shape)
        graph.initializers[id] = tensor
        return id
    }

    /// One or more integers, as shapes and axes are given.
    mutating func constant(integers: [Int], _ name: String = "constant") throws(FormatError) -> Graph.ValueID {
        constant(try Self.tensor(integers.map(Int64.init), [integers.count]), name)
    }

    mutating func constant(
        _ numbers: [Float], shape: [Int] = [], _ name: String = "constant"
    ) throws(FormatError) -> Graph.ValueID {
        constant(try Self.tensor(numbers, shape), name)
    }

    static func tensor(_ elements: [some TensorElement], _ shape: [Int]) throws(FormatError) -> Tensor {
        do { return try Tensor(elements, shape: shape) } catch { throw FormatError(error) }
    }

    /// Adds a node with one result.
    mutating func apply(
        _ name: String, _ inputs: [Graph.ValueID?], _ attributes: [String: AttributeValue] = [:]
    ) throws(FormatError) -> Graph.ValueID {
        try apply(name, inputs, attributes, outputCount: 1)[0]
    }

    /// Adds a node.
    ///
    /// - Parameter name: The operator's.
    mutating func apply(
        _ name: String, _ inputs: [Graph.ValueID?], _ attributes: [String: AttributeValue], outputCount: Int
    ) throws(FormatError) -> [Graph.ValueID] {
        guard let type = Operators.find(name) else { throw .unsupported("operator \(name) is not supported") }
        var reader = AttributeReader(attributes, outputCount: outputCount)
        do throws(OperatorError) {
            return try apply(try type.init(&reader), inputs, outputCount: outputCount)
        } catch {
            if case .unsupported = error { throw .unsupported("\(name): \(error)") }
            throw .invalid("\(name): \(error)")
        }
    }

    /// Adds a node that applies an operator.
    private mutating func apply(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], outputCount: Int
    ) throws(OperatorError) -> [Graph.ValueID] {
        guard graph.nodes.count < Self.mostNodes else { throw .unsupported("the network has too many layers") }
        let name = nodeNames.make(scope.isEmpty ? Swift.type(of: operation).name : scope)
        var node = Graph.Node(name: name, operation: operation, inputs: inputs, outputs: [])
        let isKnown = inputs.allSatisfy { $0.map { types[$0.index] != nil } ?? true }
        var inferred: [TensorType]?
        if isKnown {
            do throws(OperatorError) {
                inferred = try graph.outputTypes(of: node, types, work: &work)
            } catch .undetermined {
                inferred = nil
            }
        }
        for position in 0..<outputCount {
            let output = add(name, inferred.flatMap { position < $0.count ? $0[position] : nil })
            node.outputs.append(output)
        }
        graph.nodes.append(node)
        return node.outputs.compactMap { $0 }
    }

    /// Gives a value the name that the file has for it.
    mutating func rename(_ id: Graph.ValueID, _ name: String) {
        guard !graph.inputs.contains(id) else { return }
        graph.values[id.index].name = valueNames.make(name)
    }

    /// Adds an output under exactly this name.
    mutating func output(_ id: Graph.ValueID, _ name: String) throws(FormatError) {
        guard !graph.outputs.contains(where: { graph[$0].name == name }) else {
            throw .invalid("output \"\(name)\" is listed twice")
        }
        var source = id
        if graph.inputs.contains(id) || graph.outputs.contains(id) || graph.initializers[id] != nil {
            source = try apply("Identity", [id])
        }
        // Another value that has the name keeps it only when the network's user sees it too.
        for index in graph.values.indices where graph.values[index].name == name && index != source.index {
            guard !graph.inputs.contains(Graph.ValueID(index)) else {
                throw .unsupported("\"\(name)\" is the name of an input and of an output")
            }
            graph.values[index].name = valueNames.make(name + ".inner")
        }
        graph.values[source.index].name = name
        graph.outputs.append(source)
    }

    /// Adds an output of a graph inside another.
    mutating func output(_ id: Graph.ValueID) throws(FormatError) {
        let needsNode = graph.inputs.contains(id) || graph.outputs.contains(id) || graph.initializers[id] != nil
        graph.outputs.append(needsNode ? try apply("Identity", [id]) : id)
    }

    mutating func setMetadata(_ metadata: [String: String]) { graph.metadata = metadata }

    private mutating func add(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        types.append(type)
        return graph.addValue(valueNames.make(name))
    }
}
