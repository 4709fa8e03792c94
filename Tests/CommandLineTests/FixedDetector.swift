import Apus
import Foundation

/// A detector that gives the same boxes for every picture: two overlapping boxes of one class, and one of another.
enum FixedDetector {
    /// Writes the model. Boxes are in pixels of a gray input of 64 × 32, in the form of YOLOv5.
    static func write(to file: URL) throws {
        var rows = [Float](repeating: 0, count: 126 * 7)
        rows.replaceSubrange(0..<7, with: [32, 16, 16, 8, 1, 0.75, 0])
        rows.replaceSubrange(7..<14, with: [33, 16, 16, 8, 1, 0.5, 0])
        rows.replaceSubrange(14..<21, with: [26, 20, 8, 8, 1, 0, 0.5])
        let values = rows
        let graph = try Graph.build("fixed") { net in
            let image = net.input("image", .float32, [.batch, 1, 32, 64])
            guard let zero = try? Tensor([0] as [Float], shape: [1, 1, 1]),
                let boxes = try? Tensor(values, shape: [1, 126, 7])
            else { return }
            let nothing = image.globalAveragePool().reshape([0, 1, 1]).multiplied(by: net.constant("zero", zero))
            net.output("boxes", nothing.added(to: net.constant("rows", boxes)))
        }
        try Model(graph).export(to: file.path)
    }
}
