import Tensors

extension Tensor {
    /// The integers as positions along an axis with `extent` elements, counted from 0; negative ones count from the
    /// end.
    package func positions(extent: Int, _ name: String = "index") throws(OperatorError) -> [Int] {
        try elements(as: Int64.self).map { index throws(OperatorError) in
            guard index >= -Int64(extent), index < Int64(extent) else {
                throw .outside(index, extent: extent, name)
            }
            return Int(index) + (index < 0 ? extent : 0)
        }
    }

    /// The integer of a tensor with one element.
    package func scalar(_ name: String) throws(OperatorError) -> Int {
        guard elementCount == 1, let value = elements(as: Int64.self).first else {
            throw .invalid("\"\(name)\" has the shape \(shape); a scalar is expected")
        }
        return Int(value)
    }

    /// For every element of `shape` in row-major order, the sum of its coordinates times `strides`.
    static func offsets(_ shape: some Collection<Int>, _ strides: some Collection<Int>) -> [Int] {
        if shape.contains(0) { return [] }
        var offsets = [0]
        for (extent, stride) in zip(shape, strides) {
            offsets = offsets.flatMap { first in (0..<extent).map { first + $0 * stride } }
        }
        return offsets
    }

    /// A row-major tensor made of runs of `length` elements, which begin at `positions` of this tensor's row-major
    /// order.
    func gatheringRuns(_ positions: [Int], length: Int, shape: [Int]) throws -> Tensor {
        let byteCount = length * elementType.byteCount
        return try Tensor(elementType, shape: shape) { target in
            guard var next = target.baseAddress, !target.isEmpty else { return }
            try withContiguousBytes { bytes in
                guard let source = bytes.baseAddress else { return }
                for position in positions {
                    next.copyMemory(from: source + position * elementType.byteCount, byteCount: byteCount)
                    next += byteCount
                }
            }
        }
    }
}

extension [TensorType?] {
    /// The type of an input, which must hold integers as positions.
    func indices(_ index: Int) throws(OperatorError) -> TensorType {
        let type = try required(index)
        guard type.elementType == .int64 || type.elementType == .int32 else {
            throw .invalid("input \(index) is \(type.elementType); int64 or int32 is expected")
        }
        return type
    }

    /// The single integer of an input on which the shape depends; nil when the input is absent.
    func integer(_ index: Int, _ name: String) throws(OperatorError) -> Int? {
        guard let values = try integers(index, name) else { return nil }
        guard values.count == 1 else { throw .invalid("\"\(name)\" holds \(values.count) numbers; one is expected") }
        return values[0]
    }
}

extension OperatorError {
    /// The error for an index that lies outside its axis.
    package static func outside(_ index: Int64, extent: Int, _ name: String = "index") -> OperatorError {
        .invalid("\(name) \(index) lies outside an axis with \(extent) elements")
    }
}
