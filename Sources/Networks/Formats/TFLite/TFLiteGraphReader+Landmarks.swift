import Graphs
import Tensors

/// The custom operators by which MediaPipe's networks look again at parts of a face. Transforms are matrices [N, 4, 4]
/// of which the first two rows count: (x', y') = A · (x, y) + c with A in columns 0 and 1, and c in column 3.
///
/// Reference: `mediapipe/util/tflite/operations` of https://github.com/google-ai-edge/mediapipe
extension TFLiteGraphReader {
    /// Adds Landmarks2TransformMatrix: [N, L, 2 or more] → [N, 4, 4].
    mutating func addLandmarkTransform(_ node: TFLiteNode) throws(FormatError) {
        let options = try TFLiteCustomOptions(node, in: model)
        let (left, right) = (try options.integer("left_rotation_idx"), try options.integer("right_rotation_idx"))
        let (subset, target) = (
            try options.integers("subset_idxs"), try options.number("target_rotation_radians", default: 0)
        )
        let scales = [Float(try options.number("scale_x")), Float(try options.number("scale_y"))]
        let size = [try options.integer("output_width"), try options.integer("output_height")]
        let operation = try node.checked { () throws(OperatorError) in
            try LandmarksToTransformMatrix(
                subset: subset, left: left, right: right, target: Float(target), scales: scales, size: size)
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            (try reader.apply(operation, [try reader.plain(try node.input(0))], node), false)
        }
    }

    /// Adds TransformTensorBilinear: [N, H, W, C], [N, 4, 4] → [N, H', W', C], with zeros beyond the centers of the
    /// outer pixels.
    ///
    /// Pixel (x, y) of the result shows the place A · (x + ½, y + ½) + c − ½ of the feature map.
    mutating func addTransformedTensor(_ node: TFLiteNode) throws(FormatError) {
        let options = try TFLiteCustomOptions(node, in: model)
        let (input, matrix) = (try node.input(0), try node.input(1))
        let (height, width) = (try options.integer("output_height"), try options.integer("output_width"))
        let extents = try extents(input, fixing: 1..<4, node)
        guard rank(input) == 4, extents[1] > 0, extents[2] > 0, isTransform(matrix) else {
            throw node.invalid("an input with \(rank(input)) axes and transforms of \(self.extents(matrix)) do not fit")
        }
        guard (1...1 << 15).contains(height), (1...1 << 15).contains(width) else {
            throw node.invalid("a result of \(width) × \(height) pixels")
        }
        let size = [Float(extents[2]), Float(extents[1])]
        let constants = try node.checked { () throws(OperatorError) in
            (
                places: try Self.pixelCenters(height: height, width: width),
                middle: try Tensor.constant(size.map { $0 / 2 }, shape: [2]),
                factor: try Tensor.constant(size.map { 2 / $0 }, shape: [2]),
                limit: try Tensor.constant(size.map { ($0 - 1) / 2 }, shape: [2]),
                outside: try Tensor.constant([Float(3)], shape: [])
            )
        }
        let name = node.name
        try addOnNumbers(node) { reader throws(FormatError) in
            let transform = try reader.transform(try reader.plain(matrix), node)
            let constant = reader.addConstant(constants.places, "\(name)/places")
            let moved = try reader.moved(constant, by: transform, node)
            let middle = reader.addConstant(constants.middle, "\(name)/middle")
            let centered = try reader.apply(Sub(), [moved, middle], "\(name)/centered")[0]
            let limit = reader.addConstant(constants.limit, "\(name)/limit")
            let distance = try reader.apply(Abs(), [centered], "\(name)/distance")[0]
            let isInside = try reader.apply(LessOrEqual(), [distance, limit], "\(name)/inside")[0]
            // GridSample counts from −1 to 1 between the edges of the outer pixels.
            let factor = reader.addConstant(constants.factor, "\(name)/factor")
            let grid = try reader.apply(Mul(), [centered, factor], "\(name)/coordinates")[0]
            let outside = reader.addConstant(constants.outside, "\(name)/outside")
            let list = try reader.apply(Where(), [isInside, grid, outside], "\(name)/list")[0]
            let shape = try reader.addIntegers([-1, height, width, 2], node)
            let image = try reader.apply(Reshape(), [list, shape], "\(name)/grid")[0]
            return (try reader.apply(GridSample(), [try reader.channelsFirst(input), image], node), true)
        }
    }

    /// The centers of pixels, row by row: [1, H · W, 2].
    private static func pixelCenters(height: Int, width: Int) throws(OperatorError) -> Tensor {
        do throws(TensorError) {
            return try Tensor(shape: [1, height * width, 2]) { index in
                let (row, column) = (index / 2).quotientAndRemainder(dividingBy: width)
                return Float(index % 2 == 0 ? column : row) + 0.5
            }
        } catch {
            throw .tensor(error)
        }
    }

    /// Adds TransformLandmarks: [N, L, 2 or 3], [N, 4, 4] → [N, L, 2 or 3]. The third coordinate stays.
    mutating func addTransformedLandmarks(_ node: TFLiteNode) throws(FormatError) {
        let (landmarks, matrix) = (try node.input(0), try node.input(1))
        let extents = try extents(landmarks, fixing: 1..<3, node)
        guard extents.count == 3, extents[2] == 2 || extents[2] == 3, isTransform(matrix) else {
            throw node.invalid("landmarks \(extents) and transforms of \(self.extents(matrix)) do not fit")
        }
        let name = node.name
        try addOnNumbers(node) { reader throws(FormatError) in
            let points = try reader.plain(landmarks)
            let transform = try reader.transform(try reader.plain(matrix), node)
            guard extents[2] == 3 else { return (try reader.moved(points, by: transform, node), false) }
            let flat = try reader.apply(Slice(starts: [0], ends: [2], axes: [2]), [points], "\(name)/flat")[0]
            let depth = try reader.apply(Slice(starts: [2], ends: [3], axes: [2]), [points], "\(name)/depth")[0]
            let moved = try reader.moved(flat, by: transform, node)
            return (try reader.apply(Concat(axis: 2), [moved, depth], node), false)
        }
    }

    private func isTransform(_ matrix: Int) -> Bool {
        let extents = extents(matrix)
        return extents.count == 3 && extents[1...] == [4, 4]
    }

    /// Aᵀ, [N, 2, 2], and c, [N, 1, 2], of transforms.
    private mutating func transform(
        _ matrix: Graph.ValueID, _ node: TFLiteNode
    ) throws(FormatError) -> (product: Graph.ValueID, shift: Graph.ValueID) {
        let name = node.name
        let transposed = try apply(Transpose(permutation: [0, 2, 1]), [matrix], "\(name)/transposed")[0]
        let product = try apply(
            Slice(starts: [0, 0], ends: [2, 2], axes: [1, 2]), [transposed], "\(name)/product")[0]
        let shift = try apply(Slice(starts: [3, 0], ends: [4, 2], axes: [1, 2]), [transposed], "\(name)/shift")[0]
        return (product, shift)
    }

    /// The points [N or 1, L, 2] moved by transforms.
    private mutating func moved(
        _ points: Graph.ValueID, by transform: (product: Graph.ValueID, shift: Graph.ValueID), _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let turned = try apply(MatMul(), [points, transform.product], "\(node.name)/turned")[0]
        return try apply(Add(), [turned, transform.shift], "\(node.name)/moved")[0]
    }
}
