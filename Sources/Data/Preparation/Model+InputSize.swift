import Graphs
import Images
import Models
import Platform
import Tensors

extension Model {
    /// The model for pictures of another size than it declares, and for any number of pictures where it declares a
    /// number other than 1.
    ///
    ///     let small = try model.taking(ImageSize(width: 320, height: 320))
    ///
    /// Preprocessing that the model gives leads to the new size: borders stay borders, and of a crop the resize before
    /// it changes in proportion.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture; ``ApusError`` naming the node and
    ///   the operator that does not allow the size.
    public func taking(_ size: ImageSize) throws(ApusError) -> Model {
        guard (1...Preprocessing.maximumEdge).contains(size.width),
            (1...Preprocessing.maximumEdge).contains(size.height)
        else { throw .usage("\(name): pictures cannot have the size \(size)") }
        var plain = self
        plain.preprocessing = nil
        let input = try ImageInput(plain, preprocessing: nil)
        guard let id = source.inputs.first(where: { source[$0].name == input.name }),
            var dimensions = source[id].shape?.dimensions, dimensions.count == 4
        else { throw .usage("\(name): input \"\(input.name)\" declares no shape") }
        let (height, width) = input.layout == .channelsFirst ? (2, 3) : (1, 2)
        (dimensions[height], dimensions[width]) = (.fixed(size.height), .fixed(size.width))
        if let count = dimensions[0].value, count != 1 { dimensions[0] = .batch }
        let changed: Graph
        do {
            changed = try source.taking(Shape(dimensions), for: id)
        } catch {
            throw .usage("\(name): --input-size \(size): \(error)")
        }
        var model = try Model(changed, name: name)
        model.describe(as: self)
        model.preprocessing = preprocessing?.leading(to: size)
        if detection?.inputSize != nil { model.detection?.inputSize = size }
        return model
    }

    /// Refuses a network that takes another fixed number of pictures than one in each run.
    ///
    /// - Throws: ``ApusError/usage(_:)``, which says how it may take any number.
    package func checkBatch() throws(ApusError) {
        for id in graph.inputs {
            guard let shape = graph[id].shape, shape.rank == 4, let count = shape.dimensions[0].value, count > 1 else {
                continue
            }
            let size = (try? guessedInput().size)?.description ?? "WIDTHxHEIGHT"
            throw .usage(
                "\(name): input \"\(graph[id].name.printable)\" \(shape) takes \(count) pictures in every run; "
                    + "--input-size \(size) opens the number where the operators allow it")
        }
    }
}
