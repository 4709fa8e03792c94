import Apus
import Foundation

/// Networks that find the same things in every picture, in the forms of Ultralytics.
enum FixedNetwork {
    /// Writes a detector that finds two overlapping boxes of one class, and one of another. Boxes are in pixels of a
    /// gray input of 64 × 32, in the form of YOLOv5.
    static func writeDetector(to file: URL) throws {
        let boxes: [[Float]] = [
            [32, 16, 16, 8, 1, 0.75, 0], [33, 16, 16, 8, 1, 0.5, 0], [26, 20, 8, 8, 1, 0, 0.5],
        ]
        let rows = boxes.joined() + [Float](repeating: 0, count: (126 - boxes.count) * 7)
        try write([("boxes", [126, 7], Array(rows))], input: [1, 32, 64], to: file)
    }

    /// Writes a network of poses: two people with two points each, in pixels of an input of 64 × 64.
    static func writePoses(to file: URL) throws {
        let columns: [[Float]] = [
            [32, 32, 32, 16, 0.875, 24, 32, 0.75, 40, 34, 0.25], [8, 32, 8, 8, 0.5, 4, 32, 0.5, 8, 28, 1],
        ]
        try write(
            [("output0", [11, 84], values(columns, extent: 11))],
            ["task": "pose", "kpt_shape": "[2, 3]", "names": "{0: 'person'}", "kpt_names": "{0: ['head', 'tail']}"],
            to: file)
    }

    /// Writes a network of objects with masks: a cat in the left half, and a dog before it.
    static func writeInstances(to file: URL) throws {
        let columns: [[Float]] = [[32, 32, 64, 64, 0.875, 0, 1, 0], [16, 32, 16, 16, 0, 0.5, 0, 1]]
        let left: [Float] = (0..<16).map { $0 % 4 < 2 ? 1 : -1 }
        try write(
            [
                ("output0", [8, 84], values(columns, extent: 8)),
                ("output1", [2, 4, 4], left + [Float](repeating: 1, count: 16)),
            ], ["task": "segment", "names": "{0: 'cat', 1: 'dog'}"], to: file)
    }

    private static func values(_ columns: [[Float]], extent: Int) -> [Float] {
        var values = [Float](repeating: 0, count: extent * 84)
        for (anchor, column) in columns.enumerated() {
            for (row, number) in column.enumerated() { values[row * 84 + anchor] = number }
        }
        return values
    }

    /// Writes a network that gives these outputs for every picture.
    ///
    /// - Parameter input: The channels, height and width of the input.
    private static func write(
        _ outputs: [(name: String, shape: [Int], values: [Float])], _ metadata: [String: String] = [:],
        input: [Int] = [3, 64, 64], to file: URL
    ) throws {
        var graph = try Graph.build("fixed") { net in
            let extents = [.batch] + input.map { Dimension.fixed($0) }
            let number = net.input("image", .float32, Shape(extents)).flatten().linear(1)
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
        try Model(graph).export(to: file.path)
    }
}
