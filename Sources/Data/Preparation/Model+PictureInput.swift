import Graphs
import Models
import Platform
import Tensors

extension Model {
    /// The input that takes the picture: the only one beside those of given names, and those that have a value of
    /// their own in the model file.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when there is not one, which says how the others are given.
    func pictureInput(besides others: Set<String>) throws(ApusError) -> Graph.ValueID {
        var inputs = graph.inputs.filter { !others.contains(graph[$0].name) }
        if inputs.count > 1 { inputs.removeAll { inputDefaults[graph[$0].name] != nil } }
        if inputs.count == 1 { return inputs[0] }
        guard !inputs.isEmpty else {
            throw .usage(
                "\(name): all inputs are given a value; predictions need one, for a picture; apus run takes arrays")
        }
        let pictures = inputs.filter { graph[$0].isPicture }
        func list(_ inputs: [Graph.ValueID]) -> String {
            inputs.map { FurtherInput.text(graph[$0].name, graph[$0].elementType, graph[$0].shape) }
                .joined(separator: ", ")
        }
        if pictures.count == 1 {
            let missing = inputs.filter { $0 != pictures[0] }
            let example = graph[missing[0]].name.printable
            throw .usage(
                "\(name): beside the picture, the network takes \(list(missing)): give "
                    + "\(missing.count == 1 ? "it" : "each") with --input \(example)=VALUE, a number, numbers, an .npy "
                    + "file or a picture; apus run takes arrays")
        }
        throw .usage(
            "\(name): has \(inputs.count) inputs; predictions need one, for a picture; give the others of "
                + "\(list(inputs)) with --input NAME=VALUE; apus run takes arrays")
    }

    /// What the network takes beside the picture, one for each input, with how it is given; none where the picture is
    /// not told from others.
    package var furtherInputs: [(name: String, way: String)] {
        guard graph.inputs.count > 1 else { return [] }
        let extents = PictureExtents(self).names
        let others = graph.inputs.filter { !extents.contains(graph[$0].name) && inputDefaults[graph[$0].name] == nil }
        let pictures = others.filter { graph[$0].isPicture }
        return graph.inputs.compactMap { id in
            let input = graph[id]
            if extents.contains(input.name) { return (input.name, "follows from the picture") }
            if inputDefaults[input.name] != nil { return (input.name, "has a value in the file") }
            if pictures.count == 1, pictures[0] == id || others.count == 1 { return nil }
            let value =
                input.isPicture ? "a picture, an .npy file or @COLUMN" : "a number, numbers, an .npy file or @COLUMN"
            return (input.name, "--input \(input.name.printable)=VALUE, \(value)")
        }
    }
}

extension Graph.Value {
    /// Whether the extents are those of a picture of 3 channels or 1.
    package var isPicture: Bool {
        guard let dimensions = shape?.dimensions, dimensions.count == 3 || dimensions.count == 4 else { return false }
        let picture = dimensions.suffix(3).map(\.value)
        func isChannels(_ extent: Int?) -> Bool { extent == 1 || extent == 3 }
        // Vectors are arrays with sides of 1.
        let sides = isChannels(picture[0]) ? picture[1...2] : picture[0...1]
        return (isChannels(picture[0]) || isChannels(picture[2])) && !sides.contains { $0 == 1 }
    }
}
