import Features

/// Support vector machines and nearest neighbours.
extension FeatureStageReader {
    private enum RegressorField: Int, MessageField {
        case sparseVectors = 2, denseVectors
    }

    private enum ClassifierField: Int, MessageField {
        case sparseVectors = 3, denseVectors, coefficients
    }

    private enum VectorListField: Int, MessageField {
        case vectors = 1
    }

    private enum NeighborField: Int, MessageField {
        case index = 1
    }

    private enum NeighborIndexField: Int, MessageField {
        case samples = 2
    }

    /// The maximum elements of a support vector; a sparse vector could place a number at any position.
    private static let maximumElements = 1 << 20

    func supportVectorRegressor() throws -> any FeatureStage {
        let p: CoreMLSVMRegressorParameters = try content.decode(
            omitting: RegressorField.numbers, atMost: Self.maximumNumberBytes)
        return try SupportVectorRegressor(
            kernel: try kernel(p.kernel),
            vectors: try vectors(sparse: RegressorField.sparseVectors, dense: .denseVectors),
            coefficients: p.coefficients.vector, rho: p.rho, inputs: inputs, output: try model.outputName)
    }

    func supportVectorClassifier() throws -> any FeatureStage {
        let p: CoreMLSVMClassifierParameters = try content.decode(
            omitting: ClassifierField.numbers.union(ClassLabelField.numbers), atMost: Self.maximumNumberBytes)
        let rows: [CoreMLDoubleVector] = try messages(ClassifierField.coefficients)
        return try SupportVectorClassifier(
            kernel: try kernel(p.kernel),
            vectors: try vectors(sparse: ClassifierField.sparseVectors, dense: .denseVectors),
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

    private func vectors<Field: MessageField>(sparse: Field, dense: Field) throws -> [[Double]] {
        if content.contains(dense) {
            let rows: [CoreMLDoubleVector] = try messages(VectorListField.vectors, of: try content.message(dense))
            return rows.map(\.vector)
        }
        let rows: [CoreMLSparseVector] = try messages(VectorListField.vectors, of: try content.message(sparse))
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
        let p: CoreMLNearestNeighborsParameters = try content.decode(
            omitting: NeighborField.numbers.union(ClassLabelField.numbers))
        let rows: [CoreMLFloatVector] = try messages(
            NeighborIndexField.samples, of: try content.message(NeighborField.index))
        var weighting = NearestNeighbors.Weighting.uniform
        if case .inverseDistance = p.weighting { weighting = .inverseDistance }
        let fallback: FeatureKey? =
            switch p.default {
            case .defaultString(let text): .string(text)
            case .defaultInt64(let number): .int(number)
            case nil: nil
            }
        return try NearestNeighbors(
            inputs: inputs, samples: rows.map(\.vector),
            labels: try keys(strings: ClassLabelField.strings, integers: .integers),
            count: Int(p.neighbors.value), weighting: weighting, fallback: fallback,
            labelName: model.description.predictedFeatureName,
            probabilitiesName: model.description.predictedProbabilitiesName)
    }
}
