import Apus
import Foundation
import Graphs
import Images

/// Networks that give the same numbers for every picture.
package enum FixedOutputs {
    /// An output with its extents for one picture.
    package struct Output {
        package let name: String
        package let shape: [Int]
        package let values: [Float]

        package init(_ name: String, _ shape: [Int], _ values: [Float]) {
            (self.name, self.shape, self.values) = (name, shape, values)
        }
    }

    package static func model(
        _ outputs: [Output], size: ImageSize = ImageSize(width: 64, height: 64), metadata: [String: String] = [:],
        isChannelsLast: Bool = false
    ) throws -> Model {
        var graph = try Graph.build("fixed") { net in
            let (height, width) = (Dimension.fixed(size.height), Dimension.fixed(size.width))
            let shape: Shape = isChannelsLast ? [.batch, height, width, 3] : [.batch, 3, height, width]
            let image = net.input("image", .float32, shape)
            let number = image.flatten().linear(1)
            for output in outputs {
                let ones = [Int](repeating: 1, count: output.shape.count)
                guard let zero = try? Tensor([0] as [Float], shape: [1] + ones),
                    let numbers = try? Tensor(output.values, shape: [1] + output.shape)
                else { continue }
                let nothing = number.reshape([0] + ones).multiplied(by: net.constant("\(output.name)/zero", zero))
                net.output(output.name, nothing.added(to: net.constant("\(output.name)/numbers", numbers)))
            }
        }
        graph = try graph.seeded(1)
        graph.metadata = metadata
        // Metadata are read from files.
        let file = FileManager.default.temporaryDirectory.appending(path: "fixed-\(UUID().uuidString).onnx")
        defer { try? FileManager.default.removeItem(at: file) }
        try Model(graph).export(to: file.path)
        return try Model(contentsOf: file.path)
    }

    package static func gray(_ width: Int, _ height: Int) throws -> ImageSource {
        .image(try Image(width: width, height: height, pixels: [UInt8](repeating: 128, count: width * height * 3)))
    }
}
