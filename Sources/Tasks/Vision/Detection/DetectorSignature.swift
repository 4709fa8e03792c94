import Features
import Graphs
import Images
import Models
import Platform
import Preparation
import Tensors

/// What a decoder knows about a detector before it runs.
package struct DetectorSignature: Sendable {
    /// An output.
    package struct Output: Sendable {
        package let name: String
        /// The extents for one image; an extent, or all of them, is nil when not known.
        package let shape: [Int?]?
        /// The type of its numbers, when known.
        package let elementType: ElementType?

        package init(name: String, shape: [Int?]?, elementType: ElementType? = nil) {
            (self.name, self.shape, self.elementType) = (name, shape, elementType)
        }
    }

    /// The model's name, for errors.
    package let model: String
    /// The outputs, in the network's order.
    package let outputs: [Output]
    /// The width and height of the input, when fixed, and no larger than pictures can be.
    package let inputSize: ImageSize?
    /// What the last operators of the network are, where they are those of a family.
    var head: GridHead?
    /// Whether the channels of pictures, and so of maps, come last.
    package var isChannelsLast = false
    /// Whether inputs beside the picture make boxes be in pixels (``PictureExtents``).
    package var takesExtents = false
    /// The number of the model's labels; nil where it has none.
    package var labelCount: Int?
    /// The outputs with the confidences and the coordinates of boxes, when the model file names them.
    package var boxOutputs: (confidence: String, coordinates: String)?

    package init(model: String, outputs: [Output], inputSize: ImageSize?) {
        self.model = model
        self.outputs = outputs
        self.inputSize = inputSize.flatMap { size in
            max(size.width, size.height) <= Preprocessing.maximumEdge ? size : nil
        }
    }

    /// The number of cells of all grids with the given strides; nil when the input's size is not known.
    func cellCount(strides: [Int]) -> Int? {
        guard let inputSize else { return nil }
        return strides.reduce(0) { $0 + (inputSize.width / $1) * (inputSize.height / $1) }
    }

    /// The strides of the grids that networks of the YOLO family have.
    private static let knownStrides = [[8, 16, 32], [8, 16, 32, 64], [4, 8, 16, 32], [4, 8, 16, 32, 64]]

    /// Whether a number of anchors is that of the cells of grids, or some times as many; true where it cannot be told.
    ///
    /// - Parameters:
    ///   - strides: The strides of the grids; nil for those that networks have.
    ///   - anchors: How many anchors each cell may have.
    func areCells(_ count: Int?, strides: [Int]?, anchors: ClosedRange<Int> = 1...1) -> Bool {
        guard let count, inputSize != nil else { return true }
        return (strides.map { [$0] } ?? Self.knownStrides).contains { strides in
            guard let cells = cellCount(strides: strides), cells > 0, count.isMultiple(of: cells) else { return false }
            return anchors.contains(count / cells)
        }
    }

    /// The error for a model whose outputs differ from what a decoder takes.
    func refusal(decoder: String, _ expected: String) -> ApusError {
        let list = outputs.map { output in
            let extents = output.shape?.map { $0.map(String.init) ?? "?" }.joined(separator: ", ")
            return "\"\(output.name.printable)\" [\(extents ?? "…")]"
        }
        return .usage("\(model): decoder \(decoder) takes \(expected), not \(list.joined(separator: ", "))")
    }

    /// The position of the first output that meets a condition.
    package func position(where fits: (Output) -> Bool) -> Int? { outputs.firstIndex(where: fits) }
}

extension DetectorSignature.Output {
    /// Whether the name contains one of `parts`, ignoring case.
    func isCalled(_ parts: String...) -> Bool {
        let name = name.lowercased()
        return parts.contains { name.contains($0) }
    }

    /// Whether the last extent is `extent`.
    package func ends(with extent: Int) -> Bool { (shape?.last ?? nil) == extent }
}

extension DetectorSignature {
    /// Makes the signature of a model, for pictures of `inputSize` where the model leaves the size open.
    package init(_ model: Model, inputSize: ImageSize?) {
        let graph = model.graph
        var types: [Graph.ValueID: [Int?]] = [:]
        let shapes = model.inputShapes(forBatch: 1) ?? inputSize.flatMap { Self.inputShapes(of: graph, $0) }
        if let shapes, let inferred = try? graph.inferKnownTypes(inputShapes: shapes) {
            for id in graph.outputs { types[id] = inferred[id.index].map { $0.shape } }
        }
        let outputs = zip(graph.outputs, model.declaredOutputExtents).map { id, declared in
            Output(name: graph[id].name, shape: types[id] ?? declared, elementType: graph[id].elementType)
        }
        self.init(model: model.name, outputs: outputs, inputSize: inputSize)
        head = outputs.count == 1 ? graph.gridHead : nil
        let extents = PictureExtents(model)
        takesExtents = extents.givePixels
        labelCount = (model.detection?.labels ?? model.labels)?.count
        isChannelsLast = (try? ImageInput(model, preprocessing: nil))?.layout == .channelsLast
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
