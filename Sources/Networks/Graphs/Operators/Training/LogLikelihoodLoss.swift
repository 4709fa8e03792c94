import Tensors

/// The shared part of classifiers' losses: the negative log likelihood of labels, given logarithms of probabilities.
///
/// l[n, d…] = −w[t] · x[n, t, d…] with the label t = labels[n, d…], and 0 where t is the ignored label
package struct LogLikelihoodLoss: Sendable, Hashable {
    package enum Reduction: String, Sendable {
        case none, sum
        /// The sum divided by the sum of the weights.
        case mean
    }

    package var reduction: Reduction
    /// A label that does not count.
    package var ignoredLabel: Int?

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        ignoredLabel = try attributes.int("ignore_index")
        let name = try attributes.string("reduction") ?? "mean"
        guard let reduction = Reduction(rawValue: name) else {
            throw .invalid("attribute \"reduction\" is \"\(name)\"; none, sum or mean is expected")
        }
        self.reduction = reduction
    }

    var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = reduction == .mean ? [:] : ["reduction": .string(reduction.rawValue)]
        if let ignoredLabel { values["ignore_index"] = .int(Int64(ignoredLabel)) }
        return values
    }

    /// Shapes: x [N, C, …], labels [N, …], weights [C] (optional) → [N, …], or [] when reduced.
    func outputType(for inputs: [TensorType?]) throws(OperatorError) -> TensorType {
        let (x, labels) = (try inputs.floatingPoint(0), try inputs.required(1))
        guard x.rank >= 2, labels.shape == [x.shape[0]] + x.shape[2...] else {
            throw .invalid(
                "the input is \(x.shape) and the labels are \(labels.shape); [N, C, …] and [N, …] are expected")
        }
        guard labels.elementType == .int32 || labels.elementType == .int64 else {
            throw .invalid("labels are \(labels.elementType); int64 or int32 is expected")
        }
        if let weights = inputs.optional(2), weights.shape != [x.shape[1]] {
            throw .invalid("weights are \(weights.shape); [\(x.shape[1])] is expected")
        }
        return TensorType(x.elementType, reduction == .none ? labels.shape : [])
    }

    /// - Parameter x: The logarithms of the probabilities, row-major.
    func evaluate(_ x: [Double], shape: [Int], labels: Tensor, weights: Tensor?, _ type: TensorType) throws -> Tensor {
        let (classes, inner) = (shape[1], shape[2...].reduce(1, *))
        let weights = weights?.float64Elements
        var total = 0.0
        var weightSum = 0.0
        var losses: [Double] = []
        for (index, label) in labels.elements(as: Int64.self).enumerated() {
            if let ignoredLabel, label == Int64(ignoredLabel) {
                losses.append(0)
                continue
            }
            guard label >= 0, label < Int64(classes) else {
                throw OperatorError.invalid("label \(label) is not one of \(classes) classes")
            }
            let weight = weights?[Int(label)] ?? 1
            let loss = -weight * x[(index / inner * classes + Int(label)) * inner + index % inner]
            losses.append(loss)
            total += loss
            weightSum += weight
        }
        switch reduction {
        case .none: return try Tensor(losses, as: type.elementType, shape: type.shape)
        case .sum: return try Tensor([total], as: type.elementType, shape: [])
        case .mean: return try Tensor([total / weightSum], as: type.elementType, shape: [])
        }
    }
}
