import Tensors

/// An operator that gives a window function: weights that fall towards the ends, as sums of cosines.
///
/// y[n] = Σₖ aₖ · cos(2π · k · n / N), where N is the size, or one less where `periodic` is 0.
package protocol WindowFunction: Operator {
    var shape: WindowShape { get }
    /// The factors aₖ.
    static var coefficients: [Double] { get }
}

/// The shared attributes of windows: `output_datatype` (float32), `periodic` (1).
package struct WindowShape: Sendable, Equatable {
    package var elementType: ElementType
    package var isPeriodic: Bool

    package init(elementType: ElementType = .float32, isPeriodic: Bool = true) {
        self.elementType = elementType
        self.isPeriodic = isPeriodic
    }

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        elementType = try attributes.elementType("output_datatype") ?? .float32
        isPeriodic = try attributes.bool("periodic", default: true)
    }
}

extension WindowFunction {
    package static var inputCount: ClosedRange<Int> { 1...1 }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = shape.isPeriodic ? [:] : ["periodic": .int(0)]
        if shape.elementType != .float32 { values["output_datatype"] = .elementType(shape.elementType) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        guard let size = try inputs.integer(0, "size") else { throw .invalid("input 0 is missing") }
        guard size >= 0 else { throw .invalid("\"size\" is \(size); at least 0 is expected") }
        return [TensorType(shape.elementType, [size])]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let y = try Tensor(outputTypes[0]) { y in
            let period = Double(max(shape.isPeriodic ? y.count : y.count - 1, 1))
            for index in y.indices {
                let angle = 2 * Double.pi * Double(index) / period
                for (k, factor) in Self.coefficients.enumerated() { y[index] += factor * (Double(k) * angle).cosine }
            }
        }
        return [y]
    }
}
