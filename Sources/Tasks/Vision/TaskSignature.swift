import Graphs
import Images
import Models
import Preparation
import Tensors

/// What a task knows about a model before it runs.
package struct TaskSignature: Sendable {
    /// An output.
    package struct Output: Sendable {
        package let name: String
        package let elementType: ElementType?
        /// The extents for one image; an extent, or all of them, is nil when not known.
        package let shape: [Int?]?
        /// Whether every number is the result of Sigmoid.
        package let endsInSigmoid: Bool
    }

    /// The outputs, in the network's order.
    package let outputs: [Output]
    /// The network.
    let graph: Graph
    /// The network as it is in the file.
    private let source: Graph
    /// The number of channels of pictures; nil when the network does not take one picture.
    let channelCount: Int?
    /// The name of the input for pictures.
    let inputName: String?
    /// The type of the numbers of pictures, when known.
    let inputType: ElementType?
    /// The width and height of the input, when fixed.
    package let inputSize: ImageSize?
    /// The position of channels in pictures, and so in maps.
    package let layout: Preprocessing.Layout
    /// The names of classes; nil without names.
    private let labels: Labels?
    /// The number of classes that have names; nil without names.
    package var labelCount: Int? { labels?.count }
    /// The number of characters that the metadata name; nil when they name none.
    let characterCount: Int?
    /// The outputs as decoders of objects see them.
    let detector: DetectorSignature

    private static let maximumSearchedOutputs = 64

    package init(_ model: Model) {
        let input = try? ImageInput(model, preprocessing: nil)
        inputSize = input?.size
        inputName = input?.name
        source = model.source
        layout = input?.layout ?? .channelsFirst
        channelCount = input?.preprocessing.channelOrder.channelCount
        labels = model.labels ?? model.detection?.labels
        detector = DetectorSignature(model, inputSize: input?.size)
        characterCount = CharacterSet.named(in: model.source.metadata)?.count
        let graph = model.graph
        self.graph = graph
        inputType = input.flatMap { graph.value(named: $0.name) }.flatMap { graph[$0].elementType }
        // A file may have very many outputs, and each search takes time by the number of nodes.
        let isSearched = graph.outputs.count <= Self.maximumSearchedOutputs
        outputs = zip(graph.outputs, detector.outputs).map { id, output in
            Output(
                name: output.name, elementType: graph[id].elementType, shape: output.shape,
                endsInSigmoid: isSearched && model.endsInSigmoid(at: output.name))
        }
    }
}

extension TaskSignature {
    /// Whether the names of classes, if there are any, could be those of as many classes.
    func labelsFit(classCount count: Int) -> Bool {
        guard let labels else { return true }
        return (try? labels.check(classCount: count, model: "", origin: nil)) != nil
    }

    /// Whether the network takes one picture in colors of this size, an edge of which is nil where the network leaves
    /// it open.
    func takesColors(width: Int?, height: Int?) -> Bool {
        guard channelCount == 3 else { return false }
        guard let inputSize else { return width == nil && height == nil }
        return inputSize.width == width && inputSize.height == height
    }

    /// Whether all numbers of outputs have these extents behind that of the batch.
    func outputs(are extents: [Int?]...) -> Bool {
        outputs.count == extents.count
            && zip(outputs, extents).allSatisfy { $0.shape.map { Array($0.dropFirst()) } == $1 }
    }

    /// The number of nodes with an operator, in the network after rewrites.
    func count(of operatorName: String) -> Int { graph.nodes.count { $0.operatorName == operatorName } }

    /// Whether the network has an operator, as it is in the file.
    func uses(_ operatorName: String) -> Bool { source.nodes.contains { $0.operatorName == operatorName } }

    /// Whether the name of a value in the file has this part.
    func hasValue(named part: String) -> Bool { source.values.contains { $0.name.contains(part) } }
}

extension TaskSignature.Output {
    /// The number of classes of an output that has a row of numbers for each picture, as [N, C] or [N, C, 1, 1]; nil
    /// for other shapes.
    var rowExtent: Int? {
        guard let shape, shape.count == 2 || shape.count == 4, shape.dropFirst(2).allSatisfy({ $0 == 1 }) else {
            return nil
        }
        return shape[1]
    }

    /// The extents of an output that has a map for each channel; nil for other shapes. Extents may be unknown.
    func map(_ layout: Preprocessing.Layout) -> (channels: Int?, height: Int?, width: Int?)? {
        guard let shape, shape.count == 4, !(shape[1] == 1 && shape[2] == 1), rowExtent == nil else { return nil }
        return layout == .channelsFirst ? (shape[1], shape[2], shape[3]) : (shape[3], shape[1], shape[2])
    }

    /// The extents of an output that is a picture or a few maps, of whatever layout: networks may take channels first
    /// and give them last. Extents may be unknown.
    func picture(_ layout: Preprocessing.Layout) -> (channels: Int?, height: Int?, width: Int?)? {
        guard let map = map(layout), let shape else { return nil }
        let other: Preprocessing.Layout = layout == .channelsFirst ? .channelsLast : .channelsFirst
        guard Preprocessing.Layout.ofPicture(Array(shape.dropFirst()), layout) == other else { return map }
        return self.map(other)
    }

    /// Whether the name contains one of `parts`, ignoring case.
    func isCalled(_ parts: String...) -> Bool {
        let name = name.lowercased()
        return parts.contains { name.contains($0) }
    }

    /// The output in words: its name and shape, and what the shape looks like.
    func description(_ layout: Preprocessing.Layout) -> String {
        let extents = shape?.map { $0.map(String.init) ?? "?" }.joined(separator: ", ")
        return "\"\(name.printable)\" [\(extents ?? "…")]" + (looks(layout).map { " (\($0))" } ?? "")
    }

    private func looks(_ layout: Preprocessing.Layout) -> String? {
        func text(_ extent: Int?) -> String { extent.map(String.init) ?? "?" }
        if let map = picture(layout) {
            let size = "\(text(map.width))x\(text(map.height))"
            return map.channels == 1 ? "a map of \(size)" : "\(text(map.channels)) maps of \(size)"
        }
        guard let shape else { return nil }
        if shape.count == 3 { return "\(text(shape[1])) rows of \(text(shape[2])) numbers" }
        guard shape.count == 2 || shape.count == 4 else { return nil }
        let counts = shape.dropFirst().compactMap { $0 }
        guard counts.count == shape.count - 1, let count = counts.max() else { return nil }
        return count == 1 ? "one number" : "\(count) numbers"
    }
}
