import Tensors

/// A range of elements along some axes.
///
/// y[i] = x[start + i · step]
///
/// Shapes: x any; starts, ends [n]; axes [n] (the first n); steps [n] (1) → ⌈(end − start) / step⌉ along each axis
/// named. Negative starts and ends count from the end, and both are kept within the axis; a negative step runs
/// backwards.
/// Attributes: `starts`, `ends` and `axes` where inputs do not give them.
/// Reference: https://onnx.ai/onnx/operators/onnx__Slice.html
package struct Slice: Operator {
    package static let name = "Slice"
    package static let inputCount = 1...5
    package var starts: [Int]?
    package var ends: [Int]?
    package var axes: [Int]?

    package init(starts: [Int]? = nil, ends: [Int]? = nil, axes: [Int]? = nil) {
        self.starts = starts
        self.ends = ends
        self.axes = axes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        starts = try attributes.ints("starts")
        ends = try attributes.ints("ends")
        axes = try attributes.ints("axes")
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if let starts { values["starts"] = .ints(starts.map(Int64.init)) }
        if let ends { values["ends"] = .ints(ends.map(Int64.init)) }
        if let axes { values["axes"] = .ints(axes.map(Int64.init)) }
        return values
    }

    /// The selected elements of one axis.
    package struct Selection: Sendable, Equatable {
        package var axis: Int
        package var start: Int
        /// The step; 1 when one element is selected, so that a step times an extent does not overflow.
        package var step: Int
        package var count: Int
    }

    /// The selections along every given axis.
    package func selections(_ inputs: [TensorType?]) throws(OperatorError) -> [Selection] {
        let shape = try inputs.required(0).shape
        guard let starts = try inputs.integers(1, "starts") ?? starts else { throw .invalid("\"starts\" are missing") }
        guard let ends = try inputs.integers(2, "ends") ?? ends else { throw .invalid("\"ends\" are missing") }
        let named = try inputs.integers(3, "axes") ?? axes ?? Array(0..<starts.count)
        let steps = try inputs.integers(4, "steps") ?? [Int](repeating: 1, count: starts.count)
        guard ends.count == starts.count, named.count == starts.count, steps.count == starts.count else {
            throw .invalid(
                "there are \(starts.count) starts, \(ends.count) ends, \(named.count) axes and \(steps.count) steps")
        }
        var selections: [Selection] = []
        for (index, axis) in try Axes.resolve(named, rank: shape.count).enumerated() {
            let (extent, step) = (shape[axis], steps[index])
            guard step != 0 else { throw .invalid("a step is 0") }
            let (lower, upper) = step > 0 ? (0, extent) : (-1, extent - 1)
            func position(_ value: Int) -> Int { min(max(value < 0 ? value + extent : value, lower), upper) }
            let start = max(position(starts[index]), extent == 0 ? lower : 0)
            let distance = step > 0 ? position(ends[index]) - start : start - position(ends[index])
            let count = distance > 0 ? Int((UInt(distance) - 1) / step.magnitude) + 1 : 0
            selections.append(Selection(axis: axis, start: start, step: count > 1 ? step : 1, count: count))
        }
        return selections
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        var shape = x.shape
        for selection in try selections(inputs) { shape[selection.axis] = selection.count }
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        var (shape, strides, offset) = (x.shape, x.strides, x.offset)
        for selection in try selections(inputs.types) {
            shape[selection.axis] = selection.count
            guard selection.count > 0 else { continue }
            offset += selection.start * strides[selection.axis]
            strides[selection.axis] *= selection.step
        }
        return [
            Tensor(elementType: x.elementType, shape: shape, strides: strides, offset: offset, storage: x.storage)
        ]
    }
}
