import Graphs
import Images
import Models
import Platform
import Tensors

/// The inputs of a detector beside the picture that follow from the picture's extents. They are given so that boxes are
/// in pixels of the network's input, wherever the picture lies in it.
///
/// - `orig_target_sizes` `[N, 2]`, width and height: RT-DETR and D-FINE. Boxes are in pixels of that size.
/// - `im_shape` `[N, 2]`, height and width, and `scale_factor` `[N, 2]`, by which boxes are divided: PaddleDetection.
///
/// Sources: https://github.com/lyuwenyu/RT-DETR, https://github.com/PaddlePaddle/PaddleDetection
struct PictureExtents: Sendable {
    private enum Kind: String, CaseIterable {
        case widthAndHeight = "orig_target_sizes"
        case heightAndWidth = "im_shape"
        case scale = "scale_factor"
    }

    private let inputs: [(kind: Kind, elementType: ElementType)]

    init(_ model: Model) {
        let graph = model.graph
        guard graph.inputs.count > 1 else {
            inputs = []
            return
        }
        inputs = graph.inputs.compactMap { id in
            let value = graph[id]
            guard let kind = Kind(rawValue: value.name), let type = value.elementType,
                value.shape.map({ $0.rank == 2 && ($0.dimensions[1].value ?? 2) == 2 }) ?? false
            else { return nil }
            return (kind, type)
        }
    }

    var names: Set<String> { Set(inputs.map(\.kind.rawValue)) }

    /// The inputs for a run with some pictures that the network sees in a size.
    func tensors(_ count: Int, _ size: ImageSize) throws -> [String: Tensor] {
        var tensors: [String: Tensor] = [:]
        for (kind, elementType) in inputs {
            let pair: [Float] =
                switch kind {
                case .widthAndHeight: [Float(size.width), Float(size.height)]
                case .heightAndWidth: [Float(size.height), Float(size.width)]
                case .scale: [1, 1]
                }
            let all = [[Float]](repeating: pair, count: count).flatMap(\.self)
            tensors[kind.rawValue] = try Tensor(all, shape: [count, 2]).converted(to: elementType)
        }
        return tensors
    }
}
