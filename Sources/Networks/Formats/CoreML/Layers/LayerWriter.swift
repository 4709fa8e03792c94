import Graphs
import Tensors

/// Writes the nodes of Core ML's layers. Its methods translate what both dialects have.
struct LayerWriter {
    private var nodes: GraphWriter
    /// The name of the layer that is being translated. The names of its nodes and constants begin with it.
    var scope = ""

    init(name: String) {
        nodes = GraphWriter(name: name)
    }

    var graph: Graph { nodes.graph }

    /// The known type of a value for one image.
    func type(of id: Graph.ValueID) -> TensorType? { nodes.types[id.index] }

    /// The extents of a value for one image.
    ///
    /// - Throws: ``FormatError/unsupported(_:)`` when the extents are known only in a run.
    func shape(of id: Graph.ValueID) throws(FormatError) -> [Int] {
        guard let type = type(of: id) else {
            throw .unsupported("the shape of \"\(graph[id].name)\" is known only while the network runs")
        }
        return type.shape
    }

    /// The extents of a value, which must not follow from an open axis of an input.
    ///
    /// - Parameter axes: The axes whose extents are needed; all where it is nil.
    func fixedShape(of id: Graph.ValueID, axes: [Int]? = nil) throws(FormatError) -> [Int] {
        let shape = try shape(of: id)
        let extents = nodes.extents(of: id) ?? []
        for axis in axes ?? Array(shape.indices) where !extents.indices.contains(axis) || extents[axis] == nil {
            throw .unsupported(
                "the extent of axis \(axis) of \"\(graph[id].name)\" is known only while the network runs")
        }
        return shape
    }

    /// The extents of a value, nil where they follow from an open axis of an input.
    func openShape(of id: Graph.ValueID) throws(FormatError) -> [Int?] {
        if let extents = nodes.extents(of: id) { return extents }
        return try shape(of: id)
    }

    /// The content of a value; nil where it is known only in a run.
    func content(of id: Graph.ValueID) -> Tensor? { nodes.content(of: id) }

    /// The integers of a value, nil where they follow from an open axis of an input.
    func integers(of id: Graph.ValueID) -> [Int?]? { nodes.integers(of: id) }

    /// The bounds of slices as one value.
    mutating func bounds(
        _ bounds: [SliceBound], begins: Graph.ValueID?, ends: Graph.ValueID?
    ) throws(FormatError) -> Graph.ValueID {
        do throws(GraphError) {
            return try nodes.addBounds(bounds, begins: begins, ends: ends, named: scope.isEmpty ? "bounds" : scope)
        } catch {
            throw .graph(error)
        }
    }

    // MARK: Inputs and outputs

    /// Adds an input.
    ///
    /// - Parameters:
    ///   - shape: The declared shape, possibly with symbols.
    ///   - extents: The extents for one image.
    mutating func input(
        _ name: String, _ elementType: ElementType, _ shape: Shape, extents: [Int]
    ) throws(FormatError) -> Graph.ValueID {
        do { _ = try Shape.byteCount(extents, elementType) } catch { throw FormatError(error) }
        return nodes.addInput(nodes.makeValueName(name), elementType, shape, extents: extents)
    }

    /// Adds an input whose type is that of a value of the surrounding graph.
    mutating func capture(_ name: String, from outer: LayerWriter, _ id: Graph.ValueID) -> Graph.ValueID {
        let id = nodes.addValue(nodes.makeValueName(name), from: outer.nodes, id)
        nodes.graph.inputs.append(id)
        return id
    }

    /// Adds an input whose type the surrounding graph determines.
    mutating func capture(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        let id = nodes.addValue(nodes.makeValueName(name), type.map { TensorType($0.elementType, $0.shape) })
        nodes.graph.inputs.append(id)
        return id
    }

    /// Gives a value its name from the file.
    mutating func rename(_ id: Graph.ValueID, _ name: String) {
        guard !graph.inputs.contains(id) else { return }
        nodes.graph.values[id.index].name = nodes.makeValueName(name)
    }

    /// Adds an output under exactly this name.
    mutating func output(_ id: Graph.ValueID, _ name: String) throws(FormatError) {
        guard !graph.outputs.contains(where: { graph[$0].name == name }) else {
            throw .invalid("output \"\(name)\" is listed twice")
        }
        let source = try computed(id)
        // Another value with this name keeps it only when it is visible to the network's user.
        for index in nodes.graph.values.indices where nodes.graph.values[index].name == name && index != source.index {
            guard !nodes.graph.inputs.contains(Graph.ValueID(index)) else {
                throw .unsupported("\"\(name)\" is the name of an input and of an output")
            }
            nodes.graph.values[index].name = nodes.makeValueName(name + ".inner")
        }
        nodes.graph.values[source.index].name = name
        nodes.graph.outputs.append(source)
    }

    /// Adds an output of a nested graph.
    mutating func output(_ id: Graph.ValueID) throws(FormatError) {
        nodes.graph.outputs.append(try computed(id))
    }

    /// The value, or a copy where it is already an input, a constant or an output.
    private mutating func computed(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        let needsNode = graph.inputs.contains(id) || graph.outputs.contains(id) || graph.initializers[id] != nil
        return needsNode ? try apply(Identity(), [id]) : id
    }

    mutating func setMetadata(_ metadata: [String: String]) { nodes.graph.metadata = metadata }

    // MARK: Constants

    mutating func constant(_ tensor: Tensor, _ name: String = "constant") -> Graph.ValueID {
        nodes.addConstant(tensor, named: scope.isEmpty ? name : "\(scope).\(name)")
    }

    /// A constant of one or more integers, such as a shape or axes.
    mutating func constant(integers: [Int], _ name: String = "constant") throws(FormatError) -> Graph.ValueID {
        constant(try Self.tensor(integers.map(Int64.init), [integers.count]), name)
    }

    mutating func constant(
        _ numbers: [Float], shape: [Int] = [], _ name: String = "constant"
    ) throws(FormatError) -> Graph.ValueID {
        constant(try Self.tensor(numbers, shape), name)
    }

    /// A constant scalar.
    mutating func constant(_ number: Float) throws(FormatError) -> Graph.ValueID { try constant([number]) }

    /// A constant of one number, repeated.
    mutating func constant(
        repeating number: Float, shape: [Int], _ name: String
    ) throws(FormatError) -> Graph.ValueID {
        do { return constant(try Tensor(shape: shape) { _ in number }, name) } catch { throw FormatError(error) }
    }

    static func tensor(_ elements: [some TensorElement], _ shape: [Int]) throws(FormatError) -> Tensor {
        do { return try Tensor(elements, shape: shape) } catch { throw FormatError(error) }
    }

    // MARK: Nodes

    /// Adds a node with one result.
    mutating func apply(_ operation: any Operator, _ inputs: [Graph.ValueID?]) throws(FormatError) -> Graph.ValueID {
        try apply(operation, inputs, outputCount: 1)[0]
    }

    /// Adds a node.
    ///
    /// - Throws: ``FormatError`` naming the operator when it refuses its attributes or inputs.
    mutating func apply(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], outputCount: Int
    ) throws(FormatError) -> [Graph.ValueID] {
        let name = Swift.type(of: operation).name
        do throws(OperatorError) {
            try operation.checkAttributes(outputCount: outputCount)
        } catch {
            throw Self.refusal(by: name, error.description, isUnsupported: error.isUnsupported)
        }
        do throws(GraphError) {
            return try nodes.addNode(
                operation, inputs, named: scope.isEmpty ? name : scope, outputCount: outputCount)
        } catch {
            switch error {
            case .node(_, _, let message, let isUnsupported):
                throw Self.refusal(by: name, message, isUnsupported: isUnsupported)
            case .memory(_, _, let error): throw FormatError(error).about(name)
            default: throw .graph(error)
            }
        }
    }

    /// An operator's error without the node's name; the caller adds the name of the layer.
    private static func refusal(by operatorName: String, _ message: String, isUnsupported: Bool) -> FormatError {
        let text = "\(operatorName): \(message)"
        return isUnsupported ? .unsupported(text) : .invalid(text)
    }
}

extension Operator {
    /// Checks the attributes by the rules for model files: sizes and groups are at least 1, and so on.
    fileprivate func checkAttributes(outputCount: Int) throws(OperatorError) {
        var reader = AttributeReader(attributes, outputCount: outputCount)
        _ = try Self(&reader)
    }
}
