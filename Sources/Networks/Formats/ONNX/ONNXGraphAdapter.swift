import Graphs
import Tensors

/// Converts a graph to a version of ONNX's operator set.
///
/// Operations that are fused into an operator become nodes after it. Forms of old versions, such as attributes that
/// later became inputs, are converted to the current form. The outputs of the graph's nodes keep their names.
struct ONNXGraphAdapter {
    /// The version of the default domain to which nodes are converted; some nodes need a later one.
    static let opset = 18

    var graph: Graph
    /// The type of each value of the original graph for some input extents; only ranks, element types and fixed extents
    /// are significant.
    private var types: [Graph.ValueID: TensorType]
    private var valueNames = UniqueNames()
    private var nodeNames = UniqueNames()

    init(_ graph: Graph) {
        self.graph = graph
        types = graph.typesForSomeExtents
        for (index, value) in graph.values.enumerated() {
            self.graph.values[index].name = valueNames.make(value.name.isEmpty ? "value" : value.name)
        }
        for (index, node) in graph.nodes.enumerated() {
            self.graph.nodes[index].name = nodeNames.make(node.name.isEmpty ? node.operatorName : node.name)
        }
    }

    /// Adapts every node.
    ///
    /// - Throws: ``FormatError/graph(_:)`` naming a node that ONNX cannot express.
    consuming func adapted() throws(FormatError) -> Graph {
        let nodes = graph.nodes
        graph.nodes = []
        for node in nodes {
            do throws(OperatorError) {
                guard Operators.find(node.operatorName, domain: type(of: node.operation).domain) != nil else {
                    throw .unsupported(
                        "ONNX has no such operator: it computes with integers as TensorFlow Lite does; a float model of "
                            + "the same network can be exported")
                }
                for stage in unfused(node) { try append(stage) }
            } catch {
                throw .graph(GraphError(node, error))
            }
        }
        return graph
    }

    /// The type of the input of a node at `position`; nil when it is unknown.
    func inputType(_ position: Int, of node: Graph.Node) -> TensorType? {
        guard position < node.inputs.count, let id = node.inputs[position] else { return nil }
        return types[id]
    }

    /// The type of the input of a node at `position`; an error when it is unknown, since the node's form depends on it.
    func knownType(of node: Graph.Node, _ position: Int) throws(OperatorError) -> TensorType {
        guard let type = inputType(position, of: node) else {
            throw .unsupported("its form in ONNX depends on the shape of input \(position), which is not known")
        }
        return type
    }

    /// Adds a value between nodes, with the type of `other` if given.
    mutating func addValue(_ name: String, like other: Graph.ValueID? = nil) -> Graph.ValueID {
        let id = graph.addValue(makeValueName(name))
        types[id] = other.flatMap { types[$0] }
        return id
    }

    /// Appends a node with one output, a new value, and returns the value.
    mutating func appendStep(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], named name: String
    ) -> Graph.ValueID {
        let output = addValue(name)
        graph.nodes.append(
            Graph.Node(name: makeNodeName(name), operation: operation, inputs: inputs, outputs: [output]))
        return output
    }

    /// A value name that is not taken.
    mutating func makeValueName(_ name: String) -> String { valueNames.make(name) }

    /// A node name that is not taken.
    mutating func makeNodeName(_ name: String) -> String { nodeNames.make(name) }

    /// Makes `tensor` an input of `node`, unless it has one at that position.
    mutating func setInput(_ position: Int, of node: inout Graph.Node, _ name: String, to tensor: Tensor) {
        while node.inputs.count <= position { node.inputs.append(nil) }
        guard node.inputs[position] == nil else { return }
        node.inputs[position] = graph.addInitializer(makeValueName("\(node.name).\(name)"), tensor)
    }

    /// Makes a list of integers an input of `node`, unless there is none or the node has an input at that position.
    mutating func setInput(
        _ position: Int, of node: inout Graph.Node, _ name: String, to numbers: [Int]?
    ) throws(OperatorError) {
        guard let numbers else { return }
        setInput(position, of: &node, name, to: try .constant(numbers.map(Int64.init), shape: [numbers.count]))
    }

    /// Makes a number of the element type of input 0 an input of `node`, unless there is none or the node has an input
    /// at that position.
    mutating func setInput(
        _ position: Int, of node: inout Graph.Node, _ name: String, to number: Float?
    ) throws(OperatorError) {
        guard let number else { return }
        let scalar: Tensor
        do throws(TensorError) {
            scalar = try Tensor([number], shape: []).converted(to: inputType(0, of: node)?.elementType ?? .float32)
        } catch {
            throw .tensor(error)
        }
        setInput(position, of: &node, name, to: scalar)
    }
}

extension Graph {
    /// The types of values, with arbitrary numbers for extents that the inputs do not fix.
    fileprivate var typesForSomeExtents: [ValueID: TensorType] {
        var known: [ValueID: TensorType] = [:]
        // A batch of 1 comes last, since it could be mistaken for a fixed extent of 1; but some graphs only take single
        // images.
        for batch in [2, 1] {
            let shapes = inputs.compactMap { id in
                self[id].shape?.dimensions.enumerated().map { axis, extent in extent.value ?? (axis == 0 ? batch : 224)
                }
            }
            guard shapes.count == inputs.count, let types = try? inferTypes(inputShapes: shapes) else { continue }
            for (index, type) in types.enumerated() { known[ValueID(index)] = type }
            return known
        }
        for (index, value) in values.enumerated() {
            guard let elementType = value.elementType, let extents = value.shape?.fixed else { continue }
            known[ValueID(index)] = TensorType(elementType, extents)
        }
        return known
    }
}
