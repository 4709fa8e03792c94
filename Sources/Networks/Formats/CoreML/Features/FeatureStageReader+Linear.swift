import Features

extension FeatureStageReader {
    private enum LinearField: Int, MessageField {
        case weights = 1
    }

    /// What is not decoded with the other parameters.
    private static var largeFields: Set<Int> { LinearField.numbers.union(ClassLabelField.numbers) }

    private func linearModel(
        _ parameters: CoreMLGLMParameters, links: [Int32: LinearModel.Link]
    ) throws -> LinearModel {
        guard let link = links[parameters.transform] else {
            throw FormatError.unsupported("transform \(parameters.transform) is not known")
        }
        let rows: [CoreMLDoubleVector] = try messages(LinearField.weights)
        return try LinearModel(
            weights: rows.map(\.vector), offsets: parameters.offset, link: link, inputs: inputs)
    }

    func linearRegressor() throws -> any FeatureStage {
        let parameters: CoreMLGLMParameters = try content.decode(omitting: Self.largeFields)
        let links: [Int32: LinearModel.Link] = [0: .identity, 1: .logit, 2: .probit]
        return LinearRegressor(try linearModel(parameters, links: links), output: try model.outputName)
    }

    func linearClassifier() throws -> any FeatureStage {
        let parameters: CoreMLGLMParameters = try content.decode(omitting: Self.largeFields)
        return try LinearClassifier(
            try linearModel(parameters, links: [0: .logit, 1: .probit]),
            encoding: parameters.classEncoding == 1 ? .oneVersusRest : .referenceClass,
            outputs: try model.classifierOutputs(try ClassLabels(content)))
    }
}
