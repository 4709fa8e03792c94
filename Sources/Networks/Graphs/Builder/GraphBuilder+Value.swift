import Tensors

extension GraphBuilder {
    /// A value of the network being built; its methods are the layers that can read it.
    ///
    /// Every method adds a layer and returns its result. After an error in a layer, methods on its result do nothing.
    public struct Value {
        let builder: GraphBuilder
        /// The identifier in the graph; nil after an error.
        let id: Graph.ValueID?
        let layer: Layer

        init(builder: GraphBuilder, id: Graph.ValueID?, layer: Layer) {
            self.builder = builder
            self.id = id
            self.layer = layer
        }

        /// The extents, such as `[N, 64, 55, 55]`; nil after an error, or when an extent depends on the batch size but
        /// is not a multiple of it.
        public var shape: Shape? { id.flatMap { builder.graph[$0].shape } }

        /// The number of channels: the second extent.
        public var channels: Int? {
            guard let shape, shape.rank >= 2 else { return nil }
            return shape.dimensions[1].value
        }

        /// Names the layer or block that computes this value, and with it its weights.
        ///
        ///     image.convolution(64, kernel: 3).named("conv1").relu()
        ///
        /// In a block, the name follows the block's name.
        ///
        /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a name that another layer has.
        public func named(_ name: String) -> Self {
            guard !name.isEmpty else {
                return builder.fail(.value(name: layer.name, message: "cannot have an empty name"), layer)
            }
            let renamed = builder.rename(layer, to: name)
            return Self(builder: builder, id: builder.firstError == nil ? id : nil, layer: renamed)
        }

        /// Adds the layers of `body` as a block, so that their names follow the block's name.
        ///
        ///     extension GraphBuilder.Value {
        ///         func bottleneck(_ channels: Int) -> Self {
        ///             block("bottleneck") {
        ///                 $0.convolution(channels / 4, kernel: 1).relu().convolution(channels, kernel: 1)
        ///             }
        ///         }
        ///     }
        ///
        /// - Parameter kind: The first part of the block's name: `bottleneck` gives `bottleneck1`, `bottleneck2`, ….
        public func block(_ kind: String, _ body: (Self) -> Self) -> Self {
            builder.block(kind) { body(self) }
        }
    }

    /// A named layer or block, with the nodes and values in it.
    struct Layer {
        var name: String
        var nodes: Range<Int>
        var values: Range<Int>
        /// The names of the enclosing blocks, which precede the name.
        var parent: String
        /// Whether the name is a block's, which no node has.
        var isBlock = false

        /// A layer without nodes and values.
        init(_ name: String) {
            self.init(name, nodes: 0, values: 0, parent: "")
        }

        /// A layer that begins with the next node and value.
        init(_ name: String, nodes: Int, values: Int, parent: String) {
            self.name = name
            self.nodes = nodes..<nodes
            self.values = values..<values
            self.parent = parent
        }

        /// The layer, ending with the last node and value of `graph`.
        func ending(in graph: Graph) -> Self {
            var layer = self
            layer.nodes = nodes.lowerBound..<graph.nodes.count
            layer.values = values.lowerBound..<graph.values.count
            return layer
        }
    }
}
