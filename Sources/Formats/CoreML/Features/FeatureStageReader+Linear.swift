import Features

extension FeatureStageReader {
    private static let weightsField = 1

    private func linearModel(
        _ parameters: CoreMLGLMParameters, links: [Int32: LinearModel.Link]
    ) throws -> LinearModel {
        guard let link = links[parameters.transform] else {
            throw FormatError.unsupported("transform \(parameters.transform) is not known")
        }
        let rows: [CoreMLDoubleVector] = try messages(Self.weightsField)
        return try LinearModel(
            weights: rows.map(\.vector), offsets: parameters.offset, link: link, inputs: inputs)
    }

    func linearRegressor() throws -> any FeatureStage {
        let parameters: CoreMLGLMParameters = try content.decode(omitting: [Self.weightsField, 100, 101])
        let links: [Int32: LinearModel.Link] = [0: .identity, 1: .logit, 2: .probit]
        return LinearRegressor(try linearModel(parameters, links: links), output: try model.outputName)
    }

    func linearClassifier() throws -> any FeatureStage {
        let parameters: CoreMLGLMParameters = try content.decode(omitting: [Self.weightsField, 100, 101])
        return try LinearClassifier(
            try linearModel(parameters, links: [0: .logit, 1: .probit]),
            encoding: parameters.classEncoding == 1 ? .oneVersusRest : .referenceClass,
            outputs: try model.classifierOutputs(try ClassLabels(content)))
    }
}
