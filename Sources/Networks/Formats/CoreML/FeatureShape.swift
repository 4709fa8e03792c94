import Tensors

/// The shape of a neural network's input. Under the older rules it has no batch axis.
struct FeatureShape {
    /// The declared shape, with symbols for extents that may vary.
    var shape: Shape
    /// The default extents.
    var extents: [Int]

    init(
        _ feature: CoreMLFeatureDescription, network: CoreMLMessage, rule: NetworkTranslator.ShapeRule
    ) throws(FormatError) {
        switch feature.type.kind {
        case .imageType(let image): try self.init(image, named: feature.name, rule: rule)
        case .arrayType(let array): try self.init(array, named: feature.name)
        case .int64Type, .doubleType: self.init(shape: [1], extents: [1])
        default: throw .unsupported("is \(feature.type.kindName); networks take images and arrays")
        }
    }

    private init(shape: Shape, extents: [Int]) {
        self.shape = shape
        self.extents = extents
    }

    init(_ image: CoreMLImageType, named name: String, rule: NetworkTranslator.ShapeRule) throws(FormatError) {
        let size = image.enumeratedSizes.sizes.first
        var (width, height) = (Int(image.width), Int(image.height))
        if width <= 0, let size { (width, height) = (size.width.count, size.height.count) }
        if width <= 0 {
            (width, height) = (image.sizeRanges.width.lowerBound.count, image.sizeRanges.height.lowerBound.count)
        }
        guard width > 0, height > 0, max(width, height) < 1 << 24 else {
            throw .invalid("an image of \(width) × \(height) pixels")
        }
        let channels = try image.channels == .gray ? 1 : 3
        let isFlexible = image.hasSizeRanges || image.enumeratedSizes.sizes.count > 1
        let batch: [Dimension] = rule == .exact ? [1] : []
        shape = Shape(
            batch + [.fixed(channels)]
                + (isFlexible
                    ? [.symbol("\(name)_height"), .symbol("\(name)_width")] : [.fixed(height), .fixed(width)]))
        extents = batch.map { _ in 1 } + [channels, height, width]
    }

    init(_ array: CoreMLArrayType, named name: String) throws(FormatError) {
        var declared = array.shape
        if declared.isEmpty { declared = array.enumeratedShapes.shapes.first?.shape ?? [] }
        if declared.isEmpty { declared = array.sizeRanges.sizes.map { Int64(clamping: $0.lowerBound) } }
        guard declared.allSatisfy({ $0 >= 0 }), declared.count <= Shape.maximumRank else {
            throw .invalid("the shape \(declared.prefix(8)) is not valid")
        }
        let ranges = array.sizeRanges.sizes
        let largest = declared.max() ?? 0
        for axis in declared.indices where declared[axis] == 0 {
            // An axis without an extent takes one of its range, preferably an extent that another axis has.
            let lower = axis < ranges.count ? max(1, Int64(clamping: ranges[axis].lowerBound)) : 1
            let upper = axis < ranges.count ? (ranges[axis].upperBound < 0 ? .max : ranges[axis].upperBound) : 0
            guard lower <= upper, lower < 1 << 31 else {
                let reason = axis < ranges.count ? "its range is from \(lower) to \(upper)" : "it has no range"
                throw .invalid("the shape \(declared.prefix(8)) leaves axis \(axis) open, and \(reason)")
            }
            declared[axis] = min(max(lower, largest), upper)
        }
        extents = declared.map { Int($0) }
        var dimensions = extents.map(Dimension.fixed)
        for axis in dimensions.indices {
            let isRange = axis < ranges.count && Int64(clamping: ranges[axis].lowerBound) != ranges[axis].upperBound
            let others = array.enumeratedShapes.shapes.map(\.shape)
            let isListed = others.contains { $0.count == declared.count && $0[axis] != declared[axis] }
            if isRange || isListed { dimensions[axis] = .symbol("\(name)_\(axis)") }
        }
        shape = Shape(dimensions)
    }
}

extension CoreMLImageType {
    /// The channels that a network takes.
    var channels: PictureInput.Channels {
        get throws(FormatError) {
            switch colorSpace {
            case 10, 40: .gray
            case 20: .rgb
            case 30: .bgr
            default: throw .unsupported("color space \(colorSpace) of images is not known")
            }
        }
    }
}
