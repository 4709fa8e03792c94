import Features
import Formats
import Graphs
import Images
import Inference
import Platform
import Preparation
import Tensors

/// A network that takes and gives named features.
struct NetworkStage: Sendable {
    let session: Session
    let features: NetworkFeatures
    let description: ImportedFeatureModel

    func run(_ values: [String: FeatureValue]) async throws(ApusError) -> [String: FeatureValue] {
        let graph = session.model.graph
        var tensors: [String: Tensor] = [:]
        for id in graph.inputs {
            let name = graph[id].name
            guard let value = values[name] else {
                throw .usage("\(session.model.name): feature \"\(name)\" is missing")
            }
            tensors[name] = try tensor(value, for: graph[id])
        }
        let results = try await session.predict(tensors)
        if let classifier = features.classifier { return try answer(classifier, results) }
        var outputs: [String: FeatureValue] = [:]
        for (name, tensor) in results { outputs[name] = try value(tensor, named: name) }
        return outputs
    }

    /// The preparations of pictures for the inputs that take them.
    ///
    /// - Parameter fill: Whether pictures are stretched to the network's size instead of cropped at the center.
    func pictures(fill: Bool, _ options: Session.Options) throws(ApusError) -> [String: PicturePreparation] {
        guard case .network(let imported, _) = description.content else { return [:] }
        let model = session.model
        let names = Set(model.graph.inputs.map { model.graph[$0].name })
        var preparations: [String: PicturePreparation] = [:]
        for picture in imported.pictures {
            var picture = picture
            if fill { picture.fitting = .fill }
            let input = try ImageInput(
                model, preprocessing: Preprocessing(picture, for: model.graph),
                besides: names.subtracting([picture.name]))
            preparations[picture.name] = try PicturePreparation(input, Image.DecodingOptions(), options)
        }
        return preparations
    }

    /// The tensor of a feature, with an axis of the batch in front where the feature lacks one.
    private func tensor(_ value: FeatureValue, for input: Graph.Value) throws(ApusError) -> Tensor {
        do throws(TensorError) {
            var tensor: Tensor
            switch value {
            case .tensor(let given): tensor = given
            case .int, .double: tensor = try Tensor(value.numbers ?? [], shape: [1])
            case .string, .dictionary:
                throw .view("feature \"\(input.name)\" is \(value.kind); numbers are expected")
            }
            if let rank = input.shape?.rank, tensor.shape.count == rank - 1 {
                tensor = try tensor.reshaped(to: [1] + tensor.shape)
            }
            return try tensor.converted(to: input.elementType ?? .float32)
        } catch {
            throw .usage("\(session.model.name): \(error)")
        }
    }

    private func value(_ tensor: Tensor, named name: String) throws(ApusError) -> FeatureValue {
        let feature = description.outputs.first { $0.name == name }
        switch feature?.kind {
        case .double where tensor.elementCount == 1: return .double(tensor.elements(as: Double.self)[0])
        case .int where tensor.elementCount == 1: return .int(tensor.elements(as: Int64.self)[0])
        case .array(let shape) where shape.count == tensor.shape.count - 1 && tensor.shape.first == 1:
            do {
                return .tensor(try tensor.reshaped(to: Array(tensor.shape.dropFirst())))
            } catch {
                throw ApusError(error, model: session.model.name)
            }
        default: return .tensor(tensor)
        }
    }

    /// The features of a classifier: class and probabilities; other outputs stay as they are.
    private func answer(
        _ classifier: ClassifierOutputs, _ results: [String: Tensor]
    ) throws(ApusError) -> [String: FeatureValue] {
        let graph = session.model.graph
        let names = graph.outputs.map { graph[$0].name }
        let name = names.contains(classifier.probabilitiesName) ? classifier.probabilitiesName : names.first ?? ""
        guard let scores = results[name] else {
            throw .invalidModel(path: session.model.name, message: "gives no probabilities")
        }
        var outputs: [String: FeatureValue] = [:]
        for (other, tensor) in results where other != name { outputs[other] = try value(tensor, named: other) }
        do {
            outputs.merge(try classifier.values(scores.elements(as: Double.self))) { first, _ in first }
        } catch {
            throw ApusError(error, model: session.model.name)
        }
        return outputs
    }
}
