import Graphs

extension LayerKind {
    /// A range with a step along every axis. A masked begin or end is that of the axis; a squeezed axis keeps its begin
    /// alone, and goes.
    static func sliceStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceNDParameters.self)
        let x = try network.input(layer)
        var (starts, ends, strides) = (p.begins.map { Int($0) }, p.ends.map { Int($0) }, p.strides.map { Int($0) })
        if strides.isEmpty { strides = [Int](repeating: 1, count: starts.count) }
        guard starts.count == ends.count, strides.count == starts.count else {
            throw .invalid("\(starts.count) begins, \(ends.count) ends and \(strides.count) strides")
        }
        func isSet(_ masks: [Bool], _ axis: Int) -> Bool { axis < masks.count && masks[axis] }
        let (first, last) = (Int(Int32.min), Int(Int32.max))
        var squeezed: [Int] = []
        for axis in starts.indices {
            if isSet(p.squeezeMasks, axis) {
                squeezed.append(axis)
                if isSet(p.beginMasks, axis) { starts[axis] = 0 }
                (ends[axis], strides[axis]) = (starts[axis] == -1 ? last : starts[axis] &+ 1, 1)
                continue
            }
            if isSet(p.beginMasks, axis) { starts[axis] = strides[axis] > 0 ? 0 : last }
            if isSet(p.endMasks, axis) { ends[axis] = strides[axis] > 0 ? last : first }
        }
        let inputs = [
            x, try network.writer.constant(integers: starts, "starts"),
            try network.writer.constant(integers: ends, "ends"),
            try network.writer.constant(integers: Array(starts.indices), "axes"),
            try network.writer.constant(integers: strides, "steps"),
        ]
        var result = try network.writer.apply("Slice", inputs)
        if !squeezed.isEmpty {
            result = try network.writer.apply(
                "Squeeze", [result, try network.writer.constant(integers: squeezed, "axes")])
        }
        try network.output(layer, result)
    }

    /// As above, with begins, and perhaps ends and strides, that inputs give.
    static func sliceDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceNDParameters.self)
        guard layer.inputs.count <= 4, !(p.beginMasks + p.endMasks + p.squeezeMasks).contains(true) else {
            throw .unsupported("masks together with a begin that an input gives")
        }
        let x = try network.input(layer)
        let starts = try network.integers(try network.input(layer, 1))
        let axes = Array(try network.shape(x).indices)
        func operand(_ index: Int, _ given: [Int64], _ fallback: [Int]) throws(FormatError) -> Graph.ValueID {
            if layer.inputs.count > index { return try network.integers(try network.input(layer, index)) }
            return try network.writer.constant(integers: given.isEmpty ? fallback : given.map { Int($0) }, "range")
        }
        let inputs = [
            x, starts, try operand(2, p.ends, axes.map { _ in Int(Int32.max) }),
            try network.writer.constant(integers: axes, "axes"), try operand(3, p.strides, axes.map { _ in 1 }),
        ]
        try network.output(layer, try network.writer.apply("Slice", inputs))
    }

    /// As many elements of an axis as given, from a begin that the second input gives.
    static func sliceBySize(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceBySizeParameters.self)
        let start = try network.reshaped(try network.integers(try network.input(layer, 1)), [1])
        let size = try network.writer.constant(integers: [Int(p.size)], "size")
        let inputs = [
            try network.input(layer), start, try network.writer.apply("Add", [start, size]),
            try network.writer.constant(integers: [Int(p.axis)], "axes"),
        ]
        try network.output(layer, try network.writer.apply("Slice", inputs))
    }

    /// Windows along an axis, which becomes two: the windows, and the elements of each.
    static func slidingWindows(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let x = try network.input(layer)
        let shape = try network.shape(x)
        let axis = Int(p.axis) + (p.axis < 0 ? shape.count : 0)
        let (size, step) = (Int(p.second), max(1, Int(p.third)))
        guard shape.indices.contains(axis), size > 0, size <= shape[axis] else {
            throw .invalid("windows of \(size) along axis \(p.axis) of \(shape)")
        }
        let count = (shape[axis] - size) / step + 1
        guard count <= 1 << 20, size <= 1 << 20, count * size <= 1 << 20 else {
            throw .unsupported("\(count) windows of \(size) elements")
        }
        let positions = (0..<count).flatMap { window in (0..<size).map { Int64(window * step + $0) } }
        let indices = network.writer.constant(try GraphWriter.tensor(positions, [count, size]), "positions")
        try network.output(layer, try network.writer.apply("Gather", [x, indices], ["axis": .int(axis)]))
    }

    static func reverse(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axes = try layer.decode(CoreMLFlagsParameters.self).flags.enumerated().filter(\.element).map(\.offset)
        let x = try network.input(layer)
        guard !axes.isEmpty else { return try network.output(layer, try network.writer.apply("Identity", [x])) }
        let inputs = [
            x, try network.writer.constant(integers: axes.map { _ in Int(Int32.max) }, "starts"),
            try network.writer.constant(integers: axes.map { _ in Int(Int32.min) }, "ends"),
            try network.writer.constant(integers: axes, "axes"),
            try network.writer.constant(integers: axes.map { _ in -1 }, "steps"),
        ]
        try network.output(layer, try network.writer.apply("Slice", inputs))
    }

    /// Each sequence reversed up to its length, which the second input gives.
    static func reverseSequence(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        // The first number is the axis of the batch, the second that of the sequence.
        let p = try layer.decode(CoreMLAxisParameters.self)
        let inputs = [try network.input(layer), try network.integers(try network.input(layer, 1))]
        try network.output(
            layer,
            try network.writer.apply(
                "ReverseSequence", inputs, ["batch_axis": .int(p.axis), "time_axis": .int(p.second)]))
    }
}
