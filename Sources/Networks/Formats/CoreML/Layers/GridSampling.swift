import Graphs
import Tensors

/// The positions at which an axis is sampled m times, between 0 and its last position L.
///
/// Reference: `resize_bilinear` and `crop_resize` of
/// https://apple.github.io/coremltools/source/coremltools.converters.mil.mil.ops.defs.html
enum GridSampling: Int32 {
    /// i · L / (m − 1), and 0 where m is 1.
    case strictCorners = 0
    /// i · L / (m − 1), and L / 2 where m is 1.
    case corners
    /// i · (L + 1) / m.
    case upsample
    /// (i + 1/2) · max(1, L) / m.
    case offsetCorners
    /// (i + 1/2) · (L + 1) / m − 1/2.
    case centers

    /// The sampling with this name in operations of ML programs.
    init(named name: String) throws(FormatError) {
        switch name {
        case "STRICT_ALIGN_CORNERS": self = .strictCorners
        case "ALIGN_CORNERS": self = .corners
        case "DEFAULT": self = .upsample
        case "OFFSET_CORNERS": self = .offsetCorners
        case "UNALIGN_CORNERS": self = .centers
        default: throw .unsupported("sampling mode \(name)")
        }
    }

    /// The corresponding rule of ONNX; nil where there is none.
    fileprivate func coordinates(for size: [Int]) -> Interpolation.Coordinates? {
        switch self {
        case .strictCorners: .alignCorners
        case .corners: size.contains(1) ? nil : .alignCorners
        case .upsample: .asymmetric
        case .offsetCorners: nil
        case .centers: .halfPixel
        }
    }

    /// The position of element i is offsets[i] + slopes[i] · max(L, minimumLength).
    fileprivate func line(_ count: Int) -> (offsets: [Float], slopes: [Float]) {
        let m = Float(count)
        let indices = (0..<count).map(Float.init)
        switch self {
        case .strictCorners, .corners:
            let single: Float = self == .corners ? 0.5 : 0
            return (indices.map { _ in 0 }, indices.map { count == 1 ? single : $0 / (m - 1) })
        case .upsample: return (indices.map { $0 / m }, indices.map { $0 / m })
        case .offsetCorners: return (indices.map { _ in 0 }, indices.map { ($0 + 0.5) / m })
        case .centers: return (indices.map { ($0 + 0.5) / m - 0.5 }, indices.map { ($0 + 0.5) / m })
        }
    }

    fileprivate var minimumLength: Float { self == .offsetCorners ? 1 : 0 }

    /// The matrix [count, extent] that interpolates `count` elements from an axis of `extent` elements.
    fileprivate func matrix(_ count: Int, from extent: Int) throws(FormatError) -> Tensor {
        let length = Float(extent - 1)
        let (offsets, slopes) = line(count)
        do {
            return try Tensor(.float32, shape: [count, extent]) { buffer in
                let weights = buffer.bindMemory(to: Float.self)
                for index in weights.indices { weights[index] = 0 }
                for index in 0..<count {
                    let position = min(length, max(0, offsets[index] + slopes[index] * max(length, minimumLength)))
                    let lower = Int(position)
                    weights[index * extent + lower] += 1 - (position - Float(lower))
                    if lower + 1 < extent { weights[index * extent + lower + 1] += position - Float(lower) }
                }
            }
        } catch {
            throw FormatError(error)
        }
    }
}

/// Boxes in an image, and the meaning of their numbers.
struct CropBoxes {
    /// [N, 1, 4, 1, 1], or [N, 1, 5, 1, 1] with the index of an image first.
    var boxes: Graph.ValueID
    /// Whether coordinates range from 0 to 1.
    var areNormalized: Bool
    /// Whether they give the centre and size instead of the first and last position.
    var areCentered: Bool
    /// Whether x comes before y.
    var isWidthFirst: Bool
    /// The factor of the coordinates.
    var scale: Float
    /// The number where a box reaches beyond the image; nil where the image's edge is repeated.
    var outside: Float?
}

extension LayerWriter {
    /// Interpolates the last two axes to a size.
    mutating func resized(
        _ x: Graph.ValueID, to size: [Int], _ sampling: GridSampling
    ) throws(FormatError) -> Graph.ValueID {
        let extents = try shape(of: x)
        guard size.count == 2, size.allSatisfy({ (1...Self.maximumPositions).contains($0) }), extents.count >= 2,
            extents.suffix(2).allSatisfy({ $0 > 0 })
        else { throw .invalid("the size \(size) of an image \(extents.suffix(2))") }
        if let coordinates = sampling.coordinates(for: size) {
            let resize = Resize(interpolation: .linear(coordinates), axes: [extents.count - 2, extents.count - 1])
            return try apply(resize, [x, nil, nil, try constant(integers: size, "sizes")])
        }
        _ = try fixedShape(of: x, axes: [extents.count - 2, extents.count - 1])
        let rows = constant(try sampling.matrix(size[0], from: extents[extents.count - 2]), "rows")
        let columns = constant(try sampling.matrix(size[1], from: extents[extents.count - 1]), "columns")
        let across = try transposed(columns, [1, 0])
        return try apply(MatMul(), [try apply(MatMul(), [rows, x]), across])
    }

    private static let maximumPositions = 1 << 20

    /// Interpolates each box of an image [1, C, H, W] to a size: [N, 1, C, height, width].
    mutating func cropped(
        _ x: Graph.ValueID, _ crop: CropBoxes, to size: [Int], _ sampling: GridSampling
    ) throws(FormatError) -> Graph.ValueID {
        let (extents, numbers) = (try fixedShape(of: x), try fixedShape(of: crop.boxes))
        guard extents.count == 4, extents[0] == 1 else { throw .unsupported("boxes of more than one image") }
        guard numbers.count == 5, [4, 5].contains(numbers[2]), numbers[1] == 1, numbers[3...] == [1, 1] else {
            throw .invalid("boxes \(numbers); [N, 1, 4, 1, 1] or [N, 1, 5, 1, 1] are expected")
        }
        guard size.count == 2, size.allSatisfy({ (1...Self.maximumPositions).contains($0) }) else {
            throw .invalid("the size \(size)")
        }
        let count = numbers[0]
        let rows = try reshaped(crop.boxes, [count, numbers[2]])
        let first = numbers[2] - 4
        var grids: [Graph.ValueID] = []
        var outside: [Graph.ValueID] = []
        for (axis, length) in [(1, extents[3] - 1), (0, extents[2] - 1)] {
            let column = first + (crop.isWidthFirst ? 1 - axis : axis)
            var factor = crop.scale
            if crop.areNormalized { factor *= Float(length) }
            let scale = try constant(factor)
            let one = try apply(Mul(), [try part(rows, column), scale])
            let other = try apply(Mul(), [try part(rows, column + 2), scale])
            let start =
                crop.areCentered ? try apply(Sub(), [one, try apply(Mul(), [other, try constant(0.5)])]) : one
            let span = crop.areCentered ? other : try apply(Sub(), [other, one])
            let positions = try positions(start, span, size[axis], sampling)
            if crop.outside != nil { outside.append(try beyond(positions, length, axis: axis)) }
            // GridSample's coordinates range from −1 to 1.
            let normal = try apply(Mul(), [positions, try constant(2 / Float(max(length, 1)))])
            let shape = axis == 1 ? [count, 1, size[1], 1] : [count, size[0], 1, 1]
            let grid = try reshaped(try apply(Sub(), [normal, try constant(1)]), shape)
            let whole = try constant(integers: [count, size[0], size[1], 1], "grid")
            grids.append(try apply(Expand(), [grid, whole]))
        }
        let grid = try apply(Concat(axis: 3), grids)
        let (height, overflow) = count.multipliedReportingOverflow(by: size[0])
        guard !overflow else { throw .invalid("\(count) boxes of \(size)") }
        let sampled = try apply(
            GridSample(mode: .linear, padding: .border, alignsCorners: true),
            [x, try reshaped(grid, [1, height, size[1], 2])])
        var apart = try reshaped(sampled, [1, extents[1], count, size[0], size[1]])
        if let number = crop.outside {
            apart = try apply(Where(), [try apply(Or(), outside), try constant(number), apart])
        }
        return try transposed(apart, [2, 0, 1, 3, 4])
    }

    /// Whether each of some positions, [N, count], lies before the first or behind the last element of an axis of
    /// `length` + 1 elements, apart from rounding: [1, 1, N, count, 1] for rows, and [1, 1, N, 1, count] for columns.
    private mutating func beyond(
        _ positions: Graph.ValueID, _ length: Int, axis: Int
    ) throws(FormatError) -> Graph.ValueID {
        let rounding = 1e-5 * Float(max(length, 1))
        let low = try apply(Less(), [positions, try constant(-rounding)])
        let high = try apply(Greater(), [positions, try constant(Float(length) + rounding)])
        return try unsqueezed(try apply(Or(), [low, high]), axes: axis == 1 ? [0, 1, 3] : [0, 1, 4])
    }

    /// Computes `count` positions on axes that begin at `start` and have length `span`, [N, 1] each: [N, count].
    private mutating func positions(
        _ start: Graph.ValueID, _ span: Graph.ValueID, _ count: Int, _ sampling: GridSampling
    ) throws(FormatError) -> Graph.ValueID {
        let (offsets, slopes) = sampling.line(count)
        let length = try apply(Max(), [span, try constant(sampling.minimumLength)])
        let steps = try apply(Mul(), [length, try constant(slopes, shape: [1, count], "slopes")])
        let free = try apply(Add(), [steps, try constant(offsets, shape: [1, count], "offsets")])
        let inside = try apply(Max(), [try apply(Min(), [free, span]), try constant(0)])
        return try apply(Add(), [start, inside])
    }

    private mutating func part(_ rows: Graph.ValueID, _ column: Int) throws(FormatError) -> Graph.ValueID {
        try apply(Gather(axis: 1), [rows, try constant(integers: [column], "column")])
    }
}
