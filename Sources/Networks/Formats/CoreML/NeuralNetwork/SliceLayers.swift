import Graphs

extension LayerKind {
    static func sliceStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceNDParameters.self)
        let x = try network.input(layer)
        let (starts, ends, strides) = (p.begins.map { Int($0) }, p.ends.map { Int($0) }, p.strides.map { Int($0) })
        let range = try SliceRange(
            starts: starts, ends: ends, strides: strides.isEmpty ? starts.map { _ in 1 } : strides,
            beginMask: p.beginMasks, endMask: p.endMasks, squeezeMask: p.squeezeMasks)
        try network.output(layer, try network.writer.sliced(x, range))
    }

    /// Takes ranges with steps, with begins, and optionally ends and strides, from inputs.
    static func sliceDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceNDParameters.self)
        let x = try network.input(layer)
        // Writers list five axes, whatever the rank.
        let rank = try network.shape(x).count
        let masks = [p.beginMasks, p.endMasks, p.squeezeMasks].map { $0.prefix(rank) }
        guard layer.inputs.count <= 4, !masks.joined().contains(true) else {
            throw .unsupported("masks together with a begin that an input gives")
        }
        let starts = try network.integers(try network.input(layer, 1))
        let axes = Array(try network.shape(x).indices)
        func operand(_ index: Int, _ given: [Int64], _ fallback: [Int]) throws(FormatError) -> Graph.ValueID {
            if layer.inputs.count > index { return try network.integers(try network.input(layer, index)) }
            return try network.writer.constant(
                integers: given.isEmpty ? fallback : given.prefix(rank).map { Int($0) }, "range")
        }
        let inputs = [
            x, starts, try operand(2, p.ends, axes.map { _ in SliceRange.last }),
            try network.writer.constant(integers: axes, "axes"), try operand(3, p.strides, axes.map { _ in 1 }),
        ]
        try network.output(layer, try network.writer.apply(Slice(), inputs))
    }

    /// Takes a given number of elements along an axis, from a begin in the second input.
    static func sliceBySize(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceBySizeParameters.self)
        let start = try network.writer.reshaped(try network.integers(try network.input(layer, 1)), [1])
        let size = try network.writer.constant(integers: [Int(p.size)], "size")
        let inputs = [
            try network.input(layer), start, try network.writer.apply(Add(), [start, size]),
            try network.writer.constant(integers: [Int(p.axis)], "axes"),
        ]
        try network.output(layer, try network.writer.apply(Slice(), inputs))
    }

    /// Takes windows along an axis, which becomes two axes: the windows, and the elements of each.
    static func slidingWindows(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let (size, step) = (Int(p.second), max(1, Int(p.third)))
        let x = try network.input(layer)
        var shape = try network.shape(x)
        let axis = Int(p.axis) + (p.axis < 0 ? shape.count : 0)
        if shape.indices.contains(axis) { shape = try network.fixedShape(x, axes: [axis]) }
        guard shape.indices.contains(axis), size > 0, size <= shape[axis] else {
            throw .invalid("windows of \(size) along axis \(p.axis) of \(shape)")
        }
        let count = (shape[axis] - size) / step + 1
        guard count <= 1 << 20, size <= 1 << 20, count * size <= 1 << 20 else {
            throw .unsupported("\(count) windows of \(size) elements")
        }
        let positions = (0..<count).flatMap { window in (0..<size).map { Int64(window * step + $0) } }
        let indices = network.writer.constant(try LayerWriter.tensor(positions, [count, size]), "positions")
        try network.output(layer, try network.writer.apply(Gather(axis: axis), [x, indices]))
    }

    static func reverse(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axes = try layer.decode(CoreMLFlagsParameters.self).flags.enumerated().filter(\.element).map(\.offset)
        let x = try network.input(layer)
        try network.output(
            layer, try axes.isEmpty ? network.writer.apply(Identity(), [x]) : network.writer.reversed(x, axes: axes))
    }

    /// Reverses each sequence up to its length, which the second input holds.
    static func reverseSequence(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        // The parameters are the axis of the batch, then the axis of the sequence.
        let p = try layer.decode(CoreMLAxisParameters.self)
        let reversal = ReverseSequence(batchAxis: Int(p.axis), timeAxis: Int(p.second))
        let inputs = [try network.input(layer), try network.integers(try network.input(layer, 1))]
        try network.output(layer, try network.writer.apply(reversal, inputs))
    }
}
