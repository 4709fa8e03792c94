import Features
import Graphs
import Images
import Inference
import Tensors

/// What decoders know of a detector before it runs.
package struct DetectorSignature: Sendable {
    /// An output.
    package struct Output: Sendable {
        package let name: String
        /// The extents for one image; nil where they are not known, as are single ones.
        package let shape: [Int?]?

        package init(name: String, shape: [Int?]?) {
            (self.name, self.shape) = (name, shape)
        }
    }

    /// The model's name, for errors.
    package let model: String
    /// In the network's order.
    package let outputs: [Output]
    /// The width and height of the input, when fixed.
    package let inputSize: ImageSize?
    /// The outputs with the confidences and the coordinates of boxes, when the model file says which.
    package var boxOutputs: (confidence: String, coordinates: String)?

    package init(model: String, outputs: [Output], inputSize: ImageSize?) {
        self.model = model
        self.outputs = outputs
        self.inputSize = inputSize
    }

    /// The anchors of a network that predicts one box for every cell of its grids, whose strides are given.
    func cellCount(strides: [Int]) -> Int? {
        guard let inputSize else { return nil }
        return strides.reduce(0) { $0 + (inputSize.width / $1) * (inputSize.height / $1) }
    }

    /// The position of the first output that fits.
    package func position(where fits: (Output) -> Bool) -> Int? { outputs.firstIndex(where: fits) }
}

extension DetectorSignature.Output {
    /// Whether a part of the name is one of these, capitals aside.
    func isCalled(_ parts: String...) -> Bool {
        let name = name.lowercased()
        return parts.contains { name.contains($0) }
    }

    /// Whether the last extent is `extent`.
    package func ends(with extent: Int) -> Bool { (shape?.last ?? nil) == extent }
}

extension DetectorSignature {
    /// What a model tells, for pictures of a size where it leaves that open.
    package init(_ model: Model, inputSize: ImageSize?) {
        let graph = model.graph
        var types: [Graph.ValueID: [Int?]] = [:]
        let shapes = model.inputShapes(forBatch: 1) ?? inputSize.flatMap { Self.inputShapes(of: graph, $0) }
        if let shapes, let inferred = try? graph.inferKnownTypes(inputShapes: shapes) {
            for id in graph.outputs { types[id] = inferred[id.index].map { $0.shape } }
        }
        let outputs = graph.outputs.map { id in
            let declared = graph[id].shape?.dimensions.map(\.value)
            return Output(name: graph[id].name, shape: types[id] ?? declared)
        }
        self.init(model: model.name, outputs: outputs, inputSize: inputSize)
        if case .suppression(let suppression)? = model.continuation {
            boxOutputs = (suppression.names.confidence, suppression.names.coordinates)
        } else if let outputs = model.detection?.boxOutputs {
            boxOutputs = (outputs.confidence, outputs.coordinates)
        }
    }

    /// The shape of the only input for one picture, where the network leaves the picture's size open.
    private static func inputShapes(of graph: Graph, _ size: ImageSize) -> [[Int]]? {
        guard graph.inputs.count == 1, let dimensions = graph[graph.inputs[0]].shape?.dimensions, dimensions.count == 4
        else { return nil }
        if let channels = dimensions[1].value { return [[1, channels, size.height, size.width]] }
        return dimensions[3].value.map { [[1, size.height, size.width, $0]] }
    }
}
