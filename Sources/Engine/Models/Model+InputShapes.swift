import Graphs
import Images
import Platform
import Tensors

extension Model {
    /// The extents of every input for a batch of `count` images; nil when more than the batch is open.
    package func inputShapes(forBatch count: Int) -> [[Int]]? {
        var shapes: [[Int]] = []
        for id in graph.inputs {
            guard let extents = declaredExtents(of: id, batch: count) else { return nil }
            shapes.append(extents)
        }
        return shapes
    }

    /// The extents of every input, in the network's order.
    ///
    /// - Parameters:
    ///   - count: The number of images of a batch.
    ///   - given: Extents of inputs, by name. A first extent of 1 stands for the batch where the network leaves that
    ///     extent open. The size of a picture that is neither given nor fixed comes from the model's preprocessing or
    ///     metadata.
    /// - Throws: ``ApusError/usage(_:)`` for a name that no input has, for extents that an input does not take, and
    ///   when an input leaves more than the batch open.
    package func inputShapes(forBatch count: Int, given: [String: [Int]]) throws(ApusError) -> [[Int]] {
        guard count >= 1 else { throw .usage("a batch has at least one image") }
        let names = graph.inputs.map { graph[$0].name }
        for name in given.keys.sorted() where !names.contains(name) {
            throw .usage(
                "\(self.name): there is no input \"\(name.printable)\"; the inputs are \(names.joined(separator: ", "))"
            )
        }
        var shapes: [[Int]] = []
        for id in graph.inputs {
            if let extents = given[graph[id].name] {
                shapes.append(try checked(extents, of: id, batch: count))
            } else if let extents = declaredExtents(of: id, batch: count) ?? pictureExtents(of: id, batch: count) {
                shapes.append(extents)
            } else {
                throw openExtents(of: id)
            }
        }
        return shapes
    }

    /// Whether every input declares a first extent of 1, so that a batch must run image by image.
    package var hasFixedBatchOfOne: Bool {
        !graph.inputs.isEmpty && graph.inputs.allSatisfy { graph[$0].shape?.dimensions.first == .fixed(1) }
    }

    /// The number of images in inputs of given extents: the first extent of the inputs where the network leaves it
    /// open, or else of all inputs with at least two axes.
    ///
    /// - Parameter shapes: The extents of every input, in the network's order.
    /// - Returns: 1 where the inputs disagree.
    package func imageCount(ofInputs shapes: [[Int]]) -> Int {
        let inputs = zip(graph.inputs.map { graph[$0].shape?.dimensions.first }, shapes)
        let open = inputs.filter { if case .symbol? = $0.0 { true } else { false } }.map(\.1)
        let counts = Set((open.isEmpty ? shapes.filter { $0.count > 1 } : open).compactMap(\.first))
        return counts.count == 1 ? counts.first ?? 1 : 1
    }

    /// The number of images that a call takes when a batch of `count` is asked for: `count`, unless the network fixes
    /// it to a number other than 1.
    ///
    /// - Parameter given: Extents of inputs, by name, as for ``inputShapes(forBatch:given:)``.
    package func imageCount(askedFor count: Int, given: [String: [Int]] = [:]) -> Int {
        if hasFixedBatchOfOne { return count }
        return (try? inputShapes(forBatch: count, given: given)).map(imageCount(ofInputs:)) ?? count
    }

    /// The declared extents of an input for a batch of `count`; nil when it leaves more than the batch open.
    private func declaredExtents(of id: Graph.ValueID, batch count: Int) -> [Int]? {
        guard var dimensions = graph[id].shape?.dimensions else { return nil }
        if case .symbol = dimensions.first { dimensions[0] = .fixed(count) }
        return Shape(dimensions).fixed
    }

    private func checked(_ given: [Int], of id: Graph.ValueID, batch count: Int) throws(ApusError) -> [Int] {
        var extents = given
        let value = graph[id]
        if case .symbol = value.shape?.dimensions.first ?? .fixed(1), let first = extents.first, first != count,
            count > 1
        {
            guard first == 1 else {
                throw .usage(
                    "\(name): the shape given for input \"\(value.name)\" has \(first) images, and the batch \(count); "
                        + "give its first extent as 1")
            }
            extents[0] = count
        }
        do {
            try graph.check(extents, elementType: value.elementType ?? .float32, forInput: id)
        } catch {
            throw ApusError(error, model: name)
        }
        return extents
    }

    /// The extents of an input that takes a picture, whose size comes from the preprocessing or the metadata.
    private func pictureExtents(of id: Graph.ValueID, batch count: Int) -> [Int]? {
        guard let size = detection?.inputSize ?? preprocessing?.fixedOutputSize,
            let dimensions = graph[id].shape?.dimensions, dimensions.count == 4
        else { return nil }
        let first = dimensions[0].value ?? count
        if let channels = dimensions[1].value, channels == 1 || channels == 3 {
            return Shape([.fixed(first), .fixed(channels), dimensions[2], dimensions[3]]).filled(
                [first, channels, size.height, size.width])
        }
        guard let channels = dimensions[3].value, channels == 1 || channels == 3 else { return nil }
        return Shape([.fixed(first), dimensions[1], dimensions[2], .fixed(channels)]).filled(
            [first, size.height, size.width, channels])
    }

    /// The error for an input that leaves more open than the batch, with an example of extents.
    private func openExtents(of id: Graph.ValueID) -> ApusError {
        let value = graph[id]
        guard let shape = value.shape else {
            return .usage(
                "\(name): input \"\(value.name)\" declares no shape; give its extents, such as --shape \(value.name)=1,3,224,224"
            )
        }
        let open = shape.dimensions.enumerated().dropFirst().filter { $0.element.value == nil }
        let axes = open.map { "axis \($0.offset) (\($0.element))" }.joined(separator: ", ")
        let example = shape.dimensions.enumerated().map { axis, dimension in
            String(dimension.value ?? (axis == 0 ? 1 : 224))
        }
        return .usage(
            "\(name): input \"\(value.name)\" \(shape) leaves open \(axes); give its extents, such as "
                + "--shape \(value.name)=\(example.joined(separator: ","))")
    }
}

extension Shape {
    /// The extents, when they agree with those that this shape fixes; otherwise nil.
    fileprivate func filled(_ extents: [Int]) -> [Int]? {
        zip(dimensions, extents).allSatisfy { $0.value == nil || $0.value == $1 } ? extents : nil
    }
}
