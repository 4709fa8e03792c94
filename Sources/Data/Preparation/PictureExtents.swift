import Graphs
import Images
import Models
import Platform
import Tensors

/// The inputs of a network beside the picture that follow from the picture's extents. They are given so that boxes are
/// in pixels of the network's input, wherever the picture lies in it.
///
/// - `orig_target_sizes` `[N, 2]`, width and height: RT-DETR and D-FINE. Boxes are in pixels of that size.
/// - `im_shape` `[N, 2]`, height and width, and `scale_factor` `[N, 2]`, by which boxes are divided: PaddleDetection.
/// - `pixel_mask` `[N, H, W]`, 1 for every pixel: DETR as `transformers` exports it.
///
/// Sources: https://github.com/lyuwenyu/RT-DETR, https://github.com/PaddlePaddle/PaddleDetection,
/// https://github.com/huggingface/transformers
package struct PictureExtents: Sendable {
    private enum Kind: String, CaseIterable {
        case widthAndHeight = "orig_target_sizes"
        case heightAndWidth = "im_shape"
        case scale = "scale_factor"
        case mask = "pixel_mask"
    }

    private struct Input {
        let kind: Kind
        let elementType: ElementType
        let extents: [Int?]
    }

    private let inputs: [Input]

    package init(_ model: Model) {
        let graph = model.graph
        guard graph.inputs.count > 1 else {
            inputs = []
            return
        }
        inputs = graph.inputs.compactMap { id in
            let value = graph[id]
            guard model.inputValues[value.name] == nil, let kind = Kind(rawValue: value.name),
                let type = value.elementType,
                let extents = value.shape?.dimensions.map(\.value)
            else { return nil }
            guard kind == .mask ? extents.count == 3 : extents.count == 2 && (extents[1] ?? 2) == 2 else { return nil }
            return Input(kind: kind, elementType: type, extents: extents)
        }
    }

    var names: Set<String> { Set(inputs.map(\.kind.rawValue)) }

    /// Whether boxes are in pixels.
    package var givePixels: Bool { inputs.contains { $0.kind != .mask } }

    /// The inputs for a run with some pictures that the network sees in a size.
    func tensors(_ count: Int, _ size: ImageSize) throws -> [String: Tensor] {
        var tensors: [String: Tensor] = [:]
        for input in inputs {
            let (one, shape): ([Float], [Int])
            switch input.kind {
            case .widthAndHeight: (one, shape) = ([Float(size.width), Float(size.height)], [2])
            case .heightAndWidth: (one, shape) = ([Float(size.height), Float(size.width)], [2])
            case .scale: (one, shape) = ([1, 1], [2])
            case .mask:
                let extents = [input.extents[1] ?? size.height, input.extents[2] ?? size.width]
                let (pixelCount, overflow) = extents[0].multipliedReportingOverflow(by: extents[1])
                guard !overflow, pixelCount <= 1 << 28 else {
                    throw ApusError.usage("\"pixel_mask\" has \(extents[0]) × \(extents[1]) pixels")
                }
                (one, shape) = ([Float](repeating: 1, count: pixelCount), extents)
            }
            let all = [[Float]](repeating: one, count: count).flatMap(\.self)
            tensors[input.kind.rawValue] = try Tensor(all, shape: [count] + shape).converted(to: input.elementType)
        }
        return tensors
    }
}
