/// The kind of model in a Core ML file, by the number of its field.
enum CoreMLModelKind: Int, CaseIterable {
    case pipelineClassifier = 200
    case pipelineRegressor = 201
    case pipeline = 202
    case glmRegressor = 300
    case supportVectorRegressor = 301
    case treeEnsembleRegressor = 302
    case neuralNetworkRegressor = 303
    case bayesianProbitRegressor = 304
    case glmClassifier = 400
    case supportVectorClassifier = 401
    case treeEnsembleClassifier = 402
    case neuralNetworkClassifier = 403
    case kNearestNeighborsClassifier = 404
    case neuralNetwork = 500
    case itemSimilarityRecommender = 501
    case mlProgram = 502
    case customModel = 555
    case linkedModel = 556
    case classConfidenceThresholding = 560
    case oneHotEncoder = 600
    case imputer = 601
    case featureVectorizer = 602
    case dictVectorizer = 603
    case scaler = 604
    case categoricalMapping = 606
    case normalizer = 607
    case arrayFeatureExtractor = 609
    case nonMaximumSuppression = 610
    case identity = 900
    case textClassifier = 2000
    case wordTagger = 2001
    case visionFeaturePrint = 2002
    case soundAnalysisPreprocessing = 2003
    case gazetteer = 2004
    case wordEmbedding = 2005
    case audioFeaturePrint = 2006
    case serializedModel = 3000

    /// The smallest number of the field of a kind, known or not.
    static let firstField = 200

    /// The name of the field.
    var name: String { "\(self)" }

    /// Whether the model is one network.
    var isNetwork: Bool {
        switch self {
        case .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor, .mlProgram: true
        default: false
        }
    }

    /// Why a kind is refused; nil for kinds that are read.
    var refusal: String? {
        switch self {
        case .customModel: "a custom model is code of an app, which the file does not hold"
        case .serializedModel: "the model is encrypted or serialized in a way that only Core ML reads"
        case .linkedModel: "the model refers to another file"
        case .bayesianProbitRegressor, .itemSimilarityRecommender, .classConfidenceThresholding, .textClassifier,
            .wordTagger, .visionFeaturePrint, .soundAnalysisPreprocessing, .gazetteer, .wordEmbedding,
            .audioFeaturePrint:
            "models of the kind \(name) are not supported"
        default: nil
        }
    }
}
