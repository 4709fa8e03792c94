import Tensors

extension [TensorType?] {
    /// The type of an input that must be present.
    package func required(_ index: Int) throws(OperatorError) -> TensorType {
        guard index < count, let type = self[index] else { throw .invalid("input \(index) is missing") }
        return type
    }

    /// The type of an input that may be absent.
    package func optional(_ index: Int) -> TensorType? {
        index < count ? self[index] : nil
    }

    /// The integers of an input on which the shape depends; nil when the input is absent.
    ///
    /// - Throws: ``OperatorError/undetermined(_:)`` when the content is known only while running.
    package func integers(_ index: Int, _ name: String) throws(OperatorError) -> [Int]? {
        guard let type = optional(index) else { return nil }
        guard let content = type.constant else {
            throw .undetermined("\"\(name)\"")
        }
        return content.elements(as: Int64.self).map(Int.init)
    }

    /// The floating-point numbers of an input on which the shape depends; nil when the input is absent.
    ///
    /// - Throws: ``OperatorError/undetermined(_:)`` when the content is known only while running.
    package func floats(_ index: Int, _ name: String) throws(OperatorError) -> [Float]? {
        guard let type = optional(index) else { return nil }
        guard let content = type.constant else {
            throw .undetermined("\"\(name)\"")
        }
        return content.elements(as: Float.self)
    }
}

extension [Tensor?] {
    /// An input that must be present.
    package func required(_ index: Int) throws(OperatorError) -> Tensor {
        guard index < count, let tensor = self[index] else { throw .invalid("input \(index) is missing") }
        return tensor
    }

    /// An input that may be absent.
    package func optional(_ index: Int) -> Tensor? {
        index < count ? self[index] : nil
    }
}
