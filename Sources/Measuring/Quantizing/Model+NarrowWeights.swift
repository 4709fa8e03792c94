import Graphs
import Models
import Platform
import Tensors

/// What rounding the weights of a network's products changed in its size.
public struct WeightQuantizationReport: Sendable, Codable {
    /// The number of matrix products whose weights were rounded.
    public let productCount: Int
    /// The bytes of their weights before.
    public let byteCountBefore: Int
    /// The bytes of their weights, with scales and zero points.
    public let byteCount: Int
}

extension Model {
    /// Gives the matrix products of the network 8-bit weights, and quantizes their inputs while the network runs. It
    /// needs no pictures.
    ///
    ///     let (quantized, report) = try model.quantizedByRow()
    ///     try quantized.export(to: "vit-int8.onnx")
    ///
    /// Weights have a scale for each output channel. Each row of an input, such as a token, has a scale of its own, so
    /// that answers do not depend on the pictures beside them. Convolutions, normalizations, softmax and products of
    /// two computed values stay in float32. The result is plain ONNX with MatMulInteger.
    ///
    /// - Throws: ``ApusError`` when no product has constant weights, or weights are not finite.
    public func quantizedByRow() throws -> (model: Model, report: WeightQuantizationReport) {
        try replacingProducts { try $0.quantizedByRow() }
    }

    /// Gives the matrix products of the network weights of 4 bits, with a scale and a zero point for each group. They
    /// are widened while the network runs, and arithmetic is float32: this saves memory, and time where reading weights
    /// takes longest. It needs no pictures.
    ///
    ///     let (quantized, report) = try model.withNarrowWeights(groupSize: 32)
    ///
    /// The result is ONNX with MatMulNBits of the domain `com.microsoft`, which ONNX Runtime also reads.
    ///
    /// - Parameter groupSize: The number of weights of a group, a power of two from 16 to 256.
    /// - Throws: ``ApusError`` when no product has constant weights, weights are not finite, or the size is another.
    public func withNarrowWeights(groupSize: Int = 32) throws -> (model: Model, report: WeightQuantizationReport) {
        guard Self.groupSizes.contains(groupSize) else {
            throw ApusError.usage("groups have 16, 32, 64, 128 or 256 weights, not \(groupSize)")
        }
        return try replacingProducts { try $0.withNarrowWeights(groupSize: groupSize) }
    }

    /// The possible sizes of groups of ``withNarrowWeights(groupSize:)``.
    public static let groupSizes = [16, 32, 64, 128, 256]

    private func replacingProducts(
        _ replace: (Graph) throws -> (graph: Graph, products: [NarrowProduct])
    ) throws -> (model: Model, report: WeightQuantizationReport) {
        if let model = try widened() { return try model.replacingProducts(replace) }
        // Weights may be the result of a few nodes; everything else stays as it is.
        let rewrites: [any Rewrite] = [DropIdentity(), DropDropout(), ConstantFolding(), ReplaceEinsumByMatMul()]
        let graph = try Rewrites.declutter(source, using: rewrites + [DropDeadNodes()]).graph
        let (replaced, products) = try replace(graph)
        guard !products.isEmpty else {
            throw ApusError.usage(
                "\(name): no matrix product has constant weights to round\(graph.unroundedProducts)")
        }
        var model = try Model(replaced, name: name)
        model.describe(as: self)
        model.preprocessing = preprocessing
        let added = replaced.initializers.filter { graph.initializers[$0.key] == nil }
        let report = WeightQuantizationReport(
            productCount: products.count, byteCountBefore: products.reduce(0) { $0 + $1.weights.byteCount },
            byteCount: added.values.reduce(0) { $0 + $1.byteCount })
        return (model, report)
    }
}
