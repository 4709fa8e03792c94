import Graphs
import Tensors

/// Writes a graph node by node, and infers what each node gives for one image, which the next may need to know.
struct GraphWriter {
    var graph: Graph
    /// What is known of each value for one image, indexed like the graph's values.
    private(set) var types: [TensorType?] = []
    private var valueNames = UniqueNames()
    private var nodeNames = UniqueNames()
    /// How many operations may still be spent on following content through shape arithmetic.
    private var work = 20_000_000

    private static let maximumNodeCount = 500_000

    init(name: String) {
        graph = Graph(name: name)
    }

    /// A name that no other value has, beginning with `name`.
    mutating func makeValueName(_ name: String) -> String { valueNames.make(name) }

    /// Adds a value that is neither a constant nor a node's result, under exactly this name.
    ///
    /// - Parameter type: What is known of it for one image.
    mutating func addValue(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        types.append(type)
        return graph.addValue(name)
    }

    /// Adds an input under exactly this name.
    ///
    /// - Parameters:
    ///   - shape: As declared, perhaps with symbols.
    ///   - extents: For one image.
    mutating func addInput(
        _ name: String, _ elementType: ElementType, _ shape: Shape, extents: [Int]
    ) -> Graph.ValueID {
        let id = addValue(name, TensorType(elementType, extents))
        graph.values[id.index].elementType = elementType
        graph.values[id.index].shape = shape
        graph.inputs.append(id)
        return id
    }

    /// Adds an array that is part of the network.
    mutating func addConstant(_ tensor: Tensor, named name: String) -> Graph.ValueID {
        types.append(TensorType(tensor, keepingContent: tensor.elementCount <= Graph.followedElementCount))
        return graph.addInitializer(valueNames.make(name), tensor)
    }

    /// Adds a node that applies an operator.
    ///
    /// - Parameter name: What the node and its outputs are called, as long as nothing else is.
    /// - Throws: ``GraphError`` naming the node when the operator's shape rule refuses its inputs.
    mutating func addNode(
        _ operation: any Operator, _ inputs: [Graph.ValueID?], named name: String, outputCount: Int = 1
    ) throws(GraphError) -> [Graph.ValueID] {
        let name = nodeNames.make(name)
        var node = Graph.Node(name: name, operation: operation, inputs: inputs, outputs: [])
        guard graph.nodes.count < Self.maximumNodeCount else {
            throw GraphError(node, .unsupported("the network has too many layers"))
        }
        let inferred = try inferredTypes(of: node)
        var outputs: [Graph.ValueID] = []
        for position in 0..<outputCount {
            outputs.append(
                addValue(valueNames.make(name), inferred.flatMap { position < $0.count ? $0[position] : nil }))
        }
        node.outputs = outputs
        graph.nodes.append(node)
        return outputs
    }

    /// What a node gives; nil where only a run tells.
    private mutating func inferredTypes(of node: Graph.Node) throws(GraphError) -> [TensorType]? {
        guard node.inputs.allSatisfy({ $0.map { types[$0.index] != nil } ?? true }) else { return nil }
        do throws(OperatorError) {
            return try graph.outputTypes(of: node, types, work: &work)
        } catch .undetermined {
            return nil
        } catch {
            throw GraphError(node, error)
        }
    }
}
