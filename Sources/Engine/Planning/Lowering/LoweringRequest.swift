import Graphs
import Tensors

/// A node and everything that is known about it before planning.
package struct LoweringRequest: Sendable {
    package let node: Graph.Node
    package let inputs: [TensorType?]
    /// The outputs up to the last one that is wanted; at least one.
    package let outputs: [TensorType]
    /// The content of inputs that are part of the network.
    package let constants: [Tensor?]
    /// The order of each input's elements in memory at present.
    package let inputLayouts: [Layout?]
    /// How many threads a run may use.
    package let threadCount: Int
    /// Whether no later convolution, matrix product or mean depends on the node, so that nothing evens out its errors.
    package var isLastProduct = false
    /// Whether the first output is large, is an output of the network, and is read by no other node.
    package var isOutput = false
    /// Whether a convolution of integers reads the first output.
    package var isReadByIntegerConvolution = false
    /// Whether the types are the same in every plan that has the layer, for any batch.
    var identifiesLayer = false
    /// Where the images of a batch lie in each input; the same at every batch size.
    var imageOrders: [ImageOrder] = []
    /// The specialized requests that lowerings have read from this one so far.
    var readings = RequestReadings()

    /// The order of a batch's images in an input.
    package func imageOrder(_ input: Int) -> ImageOrder {
        imageOrders.indices.contains(input) ? imageOrders[input] : .unknown
    }

    package var operation: any Operator { node.operation }
    package var cost: OperatorCost { operation.cost(inputs: inputs, outputs: outputs) }

    /// The request for one image on one thread, by which lowerings are ranked; for the whole batch where a type is not
    /// known.
    ///
    /// - Parameter types: The types of values for one image, indexed like `graph.values`.
    func forRanking(_ types: [TensorType?], _ graph: Graph) -> LoweringRequest {
        func type(_ id: Graph.ValueID) -> TensorType? {
            if let tensor = graph.initializers[id] { return TensorType(tensor) }
            return id.index < types.count ? types[id.index] : nil
        }
        let imageInputs = node.inputs.map { $0.flatMap(type) }
        let imageOutputs = node.outputs.prefix(outputs.count).compactMap { $0.flatMap(type) }
        let isKnown =
            imageOutputs.count == outputs.count
            && zip(node.inputs, imageInputs).allSatisfy { ($0 == nil) == ($1 == nil) }
        let hasSameTypes = !isKnown || Self.areSame(imageInputs, inputs) && Self.areSame(imageOutputs, outputs)
        return LoweringRequest(
            node: node, inputs: isKnown ? imageInputs : inputs, outputs: isKnown ? imageOutputs : outputs,
            constants: constants, inputLayouts: inputLayouts, threadCount: 1, isLastProduct: isLastProduct,
            isOutput: isOutput, isReadByIntegerConvolution: isReadByIntegerConvolution,
            identifiesLayer: isKnown || types.isEmpty, imageOrders: imageOrders,
            readings: hasSameTypes ? readings : RequestReadings())
    }

    private static func areSame(_ types: [TensorType?], _ others: [TensorType?]) -> Bool {
        zip(types, others).allSatisfy { $0?.elementType == $1?.elementType && $0?.shape == $1?.shape }
    }
}
