import Features

/// Support vector machines and nearest neighbours.
extension FeatureStageReader {
    private static let (sparseNodes, vectorsField) = (1, 1)
    /// The maximum elements of a support vector; a sparse vector could place a number at any position.
    private static let maximumElements = 1 << 20

    func supportVectorRegressor() throws -> any FeatureStage {
        let (sparse, dense) = (2, 3)
        let p: CoreMLSVMRegressorParameters = try content.decode(
            omitting: [sparse, dense], atMost: Self.maximumNumberBytes)
        return try SupportVectorRegressor(
            kernel: try kernel(p.kernel), vectors: try vectors(sparse: sparse, dense: dense),
            coefficients: p.coefficients.vector, rho: p.rho, inputs: inputs, output: try model.outputName)
    }

    func supportVectorClassifier() throws -> any FeatureStage {
        let (sparse, dense, coefficients) = (3, 4, 5)
        let p: CoreMLSVMClassifierParameters = try content.decode(
            omitting: [sparse, dense, coefficients, 100, 101], atMost: Self.maximumNumberBytes)
        let rows: [CoreMLDoubleVector] = try messages(coefficients)
        return try SupportVectorClassifier(
            kernel: try kernel(p.kernel), vectors: try vectors(sparse: sparse, dense: dense),
            counts: p.vectorCounts.map(Int.init), coefficients: rows.map(\.vector), rho: p.rho,
            sigmoids: p.probabilityA.isEmpty
                ? nil : SupportVectorClassifier.Sigmoids(a: p.probabilityA, b: p.probabilityB),
            inputs: inputs, outputs: try model.classifierOutputs(try ClassLabels(content)))
    }

    private func kernel(_ kernel: CoreMLKernel) throws(FormatError) -> VectorKernel {
        switch kernel.kind {
        case .linear: .linear
        case .rbf(let p): .radial(gamma: p.gamma)
        case .polynomial(let p): .polynomial(degree: Int(p.degree), c: p.c, gamma: p.gamma)
        case .sigmoid(let p): .sigmoid(gamma: p.gamma, c: p.c)
        case nil: throw .invalid("names no kernel")
        }
    }

    private func vectors(sparse: Int, dense: Int) throws -> [[Double]] {
        if content.contains(dense) {
            let rows: [CoreMLDoubleVector] = try messages(Self.vectorsField, of: try content.message(dense))
            return rows.map(\.vector)
        }
        let rows: [CoreMLSparseVector] = try messages(Self.vectorsField, of: try content.message(sparse))
        let width = (rows.flatMap { $0.nodes.map { Int($0.index) } }.max() ?? 0)
        guard width >= 0, width <= Self.maximumElements, width * rows.count <= 16 * Self.maximumElements else {
            throw FormatError.unsupported("support vectors of \(width) numbers")
        }
        return try rows.map { row in
            var vector = [Double](repeating: 0, count: width)
            for node in row.nodes {
                // Positions count from 1, as in libsvm's files.
                guard node.index >= 1 else { throw FormatError.invalid("a number stands at position \(node.index)") }
                vector[Int(node.index) - 1] = node.value
            }
            return vector
        }
    }

    func nearestNeighbors() throws -> any FeatureStage {
        let (index, samples) = (1, 2)
        let p: CoreMLNearestNeighborsParameters = try content.decode(omitting: [index, 100, 101])
        let rows: [CoreMLFloatVector] = try messages(samples, of: try content.message(index))
        var weighting = NearestNeighbors.Weighting.uniform
        if case .inverseDistance = p.weighting { weighting = .inverseDistance }
        let fallback: FeatureKey? =
            switch p.default {
            case .defaultString(let text): .string(text)
            case .defaultInt64(let number): .int(number)
            case nil: nil
            }
        return try NearestNeighbors(
            inputs: inputs, samples: rows.map(\.vector), labels: try keys(strings: 100, integers: 101),
            count: Int(p.neighbors.value), weighting: weighting, fallback: fallback,
            labelName: model.description.predictedFeatureName,
            probabilitiesName: model.description.predictedProbabilitiesName)
    }
}
