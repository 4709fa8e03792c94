import Tensors

/// Describes a network in Swift, one layer after the other.
///
///     let network = try Graph.build("tiny-fire") { net in
///         let image = net.input("image", .float32, [.batch, 3, 64, 64])
///         let features = image
///             .convolution(32, kernel: 3, stride: 2).relu()
///             .maxPool(3, stride: 2)
///             .fire(squeeze: 16, expand: 64)
///         net.output("probabilities", features.globalAveragePool().flatten().linear(10).softmax())
///     }
///
/// Layers are methods of ``Value``. Shapes are checked as each line runs. After the first error layers do nothing, and
/// ``Graph/build(_:_:)`` throws the error.
///
/// A layer's name is its method's name and a number (`convolution1`, `relu1`). In a block it follows the block's name
/// (`fire1/squeeze1x1`). ``Value/named(_:)`` sets another name. A layer's result has the layer's name; its weights
/// append their own (`fire1/squeeze1x1.weight`).
///
/// Use a builder only in the closure that receives it, and not from several tasks.
public final class GraphBuilder {
    var graph: Graph
    /// The types of all values, for each of the probed batch sizes.
    var types: [[TensorType?]]
    var symbol: String?
    var firstError: GraphError?
    var scopes: [String] = []
    var counters: [String: Int] = [:]
    var takenValueNames: Set<String> = []
    var takenNodeNames: Set<String> = []

    init(name: String) {
        graph = Graph(name: name)
        types = SymbolicType.probes.map { _ in [] }
    }

    func finished() throws(GraphError) -> Graph {
        if let firstError { throw firstError }
        guard !graph.outputs.isEmpty else {
            throw .value(name: graph.name, message: "the network has no output")
        }
        try graph.validate()
        return graph
    }
}

extension Graph {
    /// Builds a network from a description in Swift.
    ///
    ///     let network = try Graph.build("edge") { net in
    ///         let image = net.input("image", .float32, [.batch, 1, 28, 28])
    ///         net.output("edges", image.convolution(1, kernel: 3, padding: .same).relu())
    ///     }
    ///
    /// The weights are declared, not loaded: see ``loadingWeights(from:matching:)`` and ``seeded(_:)``.
    ///
    /// - Parameters:
    ///   - name: The network's name.
    ///   - describe: Declares inputs, layers and outputs; runs once, before the call returns.
    /// - Throws: ``GraphError`` naming the first layer that does not fit, and the shapes that disagree.
    public static func build(_ name: String, _ describe: (GraphBuilder) -> Void) throws(GraphError) -> Graph {
        let builder = GraphBuilder(name: name)
        describe(builder)
        return try builder.finished()
    }
}
