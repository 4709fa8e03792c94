import Graphs
import Tensors

/// Writes a graph node by node, and infers the output types of each node for one image, which the next nodes may need.
struct GraphWriter {
    var graph: Graph
    /// The known type of each value for one image, indexed like the graph's values.
    private(set) var types: [TensorType?] = []
    private var valueNames = UniqueNames()
    private var nodeNames = UniqueNames()
    /// The number of operations that shape arithmetic on known content may still take.
    private var work = 20_000_000

    private static let maximumNodeCount = 500_000

    init(name: String) {
        graph = Graph(name: name)
    }

    /// A name that no other value has, beginning with `name`.
    mutating func makeValueName(_ name: String) -> String { valueNames.make(name) }

    /// Adds a value that is neither a constant nor a node's result, under exactly this name.
    ///
    /// - Parameter type: The known type of the value for one image.
    mutating func addValue(_ name: String, _ type: TensorType?) -> Graph.ValueID {
        types.append(type)
        return graph.addValue(name)
    }

    /// Adds an input under exactly this name.
    ///
    /// - Parameters:
    ///   - shape: The declared shape, possibly with symbols.
    ///   - extents: The extents for one image.
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
    /// - Parameter name: The name of the node and its outputs, as long as it is not in use.
    /// - Throws: ``GraphError`` naming the node when the operator's shape rule rejects its inputs.
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

    /// The output types of a node; nil where they are known only in a run.
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
