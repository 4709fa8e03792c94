import Apus
import ArgumentParser

/// The option for another size of pictures than a network declares.
package struct InputSizeOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            """
            The size of the network's input, instead of the size that it declares; its operators must allow it. A \
            fixed batch size other than 1 becomes open.
            """, valueName: "WxH"), transform: PictureSize.reading("a width and a height such as 640x480"))
    package var inputSize: PictureSize?

    /// The model with the size that is given.
    package func applied(to model: Model) throws(ApusError) -> Model {
        guard let inputSize else { return model }
        return try model.taking(inputSize.size)
    }
}

/// An argument such as `640x480`.
package struct PictureSize: ExpressibleByArgument {
    package let size: ImageSize

    package init?(argument: String) {
        let edges = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard edges.count == 2, let width = edges[0], let height = edges[1],
            (1...Preprocessing.maximumEdge).contains(width), (1...Preprocessing.maximumEdge).contains(height)
        else { return nil }
        size = ImageSize(width: width, height: height)
    }
}
