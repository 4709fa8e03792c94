import Graphs
import Tensors

/// Writes the nodes that layers of Core ML become; what both of its dialects have is translated by methods of this type.
struct LayerWriter {
    private var nodes: GraphWriter
    /// The name of the layer that is being translated, with which the names of its nodes and constants begin.
    var scope = ""

    init(name: String) {
        nodes = GraphWriter(name: name)
    }

    var graph: Graph { nodes.graph }

    /// What is known of a value for one image.
    func type(of id: Graph.ValueID) -> TensorType? { nodes.types[id.index] }

    /// The extents of a value for one image.
    ///
    /// - Throws: ``FormatError/unsupported(_:)`` when only a run tells them.
    func shape(of id: Graph.ValueID) throws(FormatError) -> [Int] {
        guard let type = type(of: id) else {
            throw .unsupported("the shape of \"\(graph[id].name)\" is known only while the network runs")
        }
        return type.shape
    }

    // MARK: Inputs and outputs

    /// Adds an input.
    ///
    /// - Parameters:
    ///   - shape: As declared, perhaps with symbols.
    ///   - extents: For one image.
    mutating func input(
        _ name: String, _ elementType: ElementType, _ shape: Shape, extents: [Int]
    ) throws(FormatError) -> Graph.ValueID {
        do { _ = try Shape.byteCount(extents, elementType) } catch { throw FormatError(error) }
        return nodes.addInput(nodes.makeValueName(name), elementType, shape, extents: extents)
    }

    /// Adds an input whose type the graph around it tells.
    mutating func capture(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        let id = nodes.addValue(nodes.makeValueName(name), type.map { TensorType($0.elementType, $0.shape) })
        nodes.graph.inputs.append(id)
        return id
    }

    /// Gives a value the name that the file has for it.
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
        // Another value that has the name keeps it only when the network's user sees it too.
        for index in nodes.graph.values.indices where nodes.graph.values[index].name == name && index != source.index {
            guard !nodes.graph.inputs.contains(Graph.ValueID(index)) else {
                throw .unsupported("\"\(name)\" is the name of an input and of an output")
            }
            nodes.graph.values[index].name = nodes.makeValueName(name + ".inner")
        }
        nodes.graph.values[source.index].name = name
        nodes.graph.outputs.append(source)
    }

    /// Adds an output of a graph inside another.
    mutating func output(_ id: Graph.ValueID) throws(FormatError) {
        nodes.graph.outputs.append(try computed(id))
    }

    /// The value, or a copy where it is an input, a constant or an output already.
    private mutating func computed(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        let needsNode = graph.inputs.contains(id) || graph.outputs.contains(id) || graph.initializers[id] != nil
        return needsNode ? try apply(Identity(), [id]) : id
    }

    mutating func setMetadata(_ metadata: [String: String]) { nodes.graph.metadata = metadata }

    // MARK: Constants

    mutating func constant(_ tensor: Tensor, _ name: String = "constant") -> Graph.ValueID {
        nodes.addConstant(tensor, named: scope.isEmpty ? name : "\(scope).\(name)")
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

    /// One number without axes.
    mutating func constant(_ number: Float) throws(FormatError) -> Graph.ValueID { try constant([number]) }

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
            case .memory(_, _, let error): throw Self.refusal(by: name, error.description, isUnsupported: false)
            default: throw .graph(error)
            }
        }
    }

    /// What an operator says, without the node's name: whoever translates the layer adds the layer's.
    private static func refusal(by operatorName: String, _ message: String, isUnsupported: Bool) -> FormatError {
        let text = "\(operatorName): \(message)"
        return isUnsupported ? .unsupported(text) : .invalid(text)
    }
}

extension Operator {
    /// Checks the attributes by the rules that apply to those of a model file: sizes from 1, a group from 1, and so on.
    fileprivate func checkAttributes(outputCount: Int) throws(OperatorError) {
        var reader = AttributeReader(attributes, outputCount: outputCount)
        _ = try Self(&reader)
    }
}
