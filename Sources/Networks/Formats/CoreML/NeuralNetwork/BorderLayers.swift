import Graphs

extension LayerKind {
    /// Crops rows and columns, by given amounts or to the extents of a second input from an offset.
    static func crop(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLCropParameters.self)
        let x = try network.image(try network.input(layer))
        let extents = try network.shape(x)
        guard extents.count >= 2 else { throw .invalid("its input \(extents) is not an image") }
        var (starts, ends): ([Int], [Int])
        if layer.inputs.count > 1 {
            let other = try network.image(try network.input(layer, 1))
            let size = try network.shape(other).suffix(2)
            starts = p.offset.counts(or: [0, 0])
            guard starts.count == 2, size.count == 2 else { throw .invalid("two offsets are expected") }
            ends = zip(starts, size).map { $0.addingReportingOverflow($1).partialValue }
            guard
                try (network.writer.openShape(of: other).suffix(2) + network.writer.openShape(of: x).suffix(2))
                    .allSatisfy({ $0 != nil })
            else {
                let offsets = try network.writer.constant(integers: starts, "offsets")
                let sides = try network.writer.apply(ShapeOperator(start: -2), [other])
                let stops = try network.writer.apply(Add(), [sides, offsets])
                let axes = try network.writer.constant(integers: [-2, -1], "axes")
                return try network.output(layer, try network.writer.apply(Slice(), [x, offsets, stops, axes]))
            }
            guard zip(ends, extents.suffix(2)).allSatisfy({ $0 <= $1 }), zip(starts, ends).allSatisfy({ $0 <= $1 })
            else { throw .invalid("a part of \(Array(size)) from \(starts) lies outside of \(extents)") }
        } else {
            let pads = try p.amounts.pads
            starts = Array(pads[..<2])
            // A negative end counts from the end of the axis.
            ends = pads[2...].map { $0 == 0 ? SliceRange.last : -$0 }
        }
        try network.output(layer, try network.writer.sliced(x, from: starts, to: ends, axes: [-2, -1]))
    }

    /// Adds rows and columns around an image: a number, the mirror image, or the edge.
    static func padding(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLPaddingParameters.self)
        let x = try network.image(try network.input(layer))
        let rank = try network.shape(x).count
        guard rank >= 2 else { throw .invalid("its input has \(rank) axes, too few for an image") }
        let amounts = try p.amounts.pads
        let others = [Int](repeating: 0, count: rank - 2)
        let (mode, number): (Pad.Mode, Float) =
            switch p.kind {
            case .constant(let constant): (.constant, constant.value)
            case .reflection: (.reflect, 0)
            case .replication: (.edge, 0)
            case nil: (.constant, 0)
            }
        let pads = others + amounts[..<2] + others + amounts[2...]
        try network.output(layer, try network.writer.padded(x, pads, mode, with: number))
    }

    /// Adds a number around a value. There is a begin and an end for each axis; where extents are given and are not 0,
    /// the padding reaches to them.
    static func constantPad(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLConstantPadParameters.self)
        let x = try network.input(layer)
        guard layer.inputs.count == 1 else { throw .unsupported("amounts that an input gives") }
        let extents = try network.shape(x)
        let amounts = p.amounts.counts()
        guard amounts.count == 2 * extents.count else {
            throw .invalid("has \(amounts.count) amounts for \(extents.count) axes")
        }
        var begins = extents.indices.map { amounts[2 * $0] }
        var ends = extents.indices.map { amounts[2 * $0 + 1] }
        if p.padsToGivenSize {
            _ = try network.fixedShape(x)
            for (axis, extent) in extents.enumerated() {
                if begins[axis] > 0 { begins[axis] = max(0, begins[axis] - extent) }
                if ends[axis] > 0 { ends[axis] = max(0, ends[axis] - extent) }
            }
        }
        try network.output(layer, try network.writer.padded(x, begins + ends, with: p.value))
    }
}
