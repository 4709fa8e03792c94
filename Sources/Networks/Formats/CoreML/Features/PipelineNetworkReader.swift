import FoundationEssentials
import Features
import Graphs
import Tensors

/// Reads a pipeline that begins with networks as one network, followed by the work of the other models.
struct PipelineNetworkReader {
    private let model: CoreMLModel
    private let folder: URL?

    init(_ model: CoreMLModel, folder: URL?) {
        self.model = model
        self.folder = folder
    }

    func read() throws(FormatError) -> ImportedModel {
        let pipeline = try FeatureModelReader(folder: folder).read(model)
        let stages = pipeline.flattened
        var imported: ImportedModel?
        var behind: [any FeatureStage] = []
        for stage in stages {
            switch stage.content {
            case .network(let network, _) where behind.isEmpty:
                if let first = imported { imported = try joined(first, network) } else { imported = network }
            case .stage(let stage) where imported != nil: behind.append(stage)
            default: throw Self.refusal(of: stages)
            }
        }
        guard var imported else { throw Self.refusal(of: stages) }
        imported.pictureOutputs = try model.pictureOutputs
        imported.inputDefaults = try model.inputDefaults
        imported.graph.metadata = pipeline.metadata
        if let last = behind.last {
            if let suppression = last as? BoxSuppression, behind.count == 1 {
                imported.labels = suppression.labels.isEmpty ? nil : suppression.labels.map(\.description)
                imported.continuation = .suppression(suppression)
            } else if let classifier = last.classifier {
                imported.labels = classifier.labels.map(\.description)
                imported.continuation = .classification(behind, classifier)
            } else {
                throw Self.refusal(of: stages)
            }
            imported.scoresName = nil
        }
        try imported.graph.finish()
        return imported
    }

    private static func refusal(of stages: [ImportedFeatureModel]) -> FormatError {
        let kinds = stages.prefix(8).map(\.kind).joined(separator: ", ")
        return .unsupported("the file holds a pipeline of \(kinds), not one network")
    }

    /// Joins two networks into one. The second reads the outputs of the first.
    private func joined(_ first: ImportedModel, _ second: ImportedModel) throws(FormatError) -> ImportedModel {
        var graph = first.graph
        let body = second.graph
        var arguments: [Graph.ValueID] = []
        for id in body.inputs {
            let input = body[id]
            guard let source = graph.outputs.first(where: { graph[$0].name == input.name }) else {
                if let shared = graph.inputs.first(where: { graph[$0].name == input.name }) {
                    arguments.append(shared)
                    continue
                }
                throw .unsupported("the second network takes \"\(input.name)\", which the first does not give")
            }
            if second.pictures.contains(where: { $0.name == input.name }) {
                throw .unsupported("the second network takes a picture that the first gives")
            }
            arguments.append(try graph.reshaped(source, to: input))
        }
        let names = Set(body.outputs.map { body[$0].name })
        guard !graph.inputs.contains(where: { names.contains(graph[$0].name) }) else {
            throw .unsupported("an input and an output of the pipeline have one name")
        }
        // An output of the second network replaces an output of the first that has the same name.
        graph.outputs = graph.outputs.filter { !names.contains(graph[$0].name) }
        var taken = Set(graph.values.map(\.name))
        for index in graph.values.indices where names.contains(graph.values[index].name) {
            while taken.contains(graph.values[index].name) { graph.values[index].name += ".inner" }
            taken.insert(graph.values[index].name)
        }
        let results = body.outputs.map {
            graph.addValue(body[$0].name, elementType: body[$0].elementType, shape: body[$0].shape)
        }
        let prefix = "stage \(graph.nodes.count)"
        let nodes = graph.inline(body, arguments: arguments, results: results, prefix: prefix)
        graph.nodes += nodes
        graph.outputs += results
        var imported = first
        imported.graph = graph
        (imported.labels, imported.scoresName) = (second.labels, second.scoresName)
        return imported
    }
}

extension Graph {
    /// Reshapes an output to the shape of another network's input.
    fileprivate mutating func reshaped(_ output: ValueID, to input: Value) throws(FormatError) -> ValueID {
        var symbols: [String: Int] = [:]
        for id in inputs {
            if case .symbol(let name) = self[id].shape?.dimensions.first { symbols[name] = 1 }
        }
        let shapes = inputs.compactMap { self[$0].shape?.binding(symbols) }
        guard let declared = input.shape?.dimensions, shapes.count == inputs.count else { return output }
        let known: [TensorType?]
        do throws(GraphError) { known = try inferKnownTypes(inputShapes: shapes) } catch { throw .graph(error) }
        guard let found = known[output.index]?.shape else { return output }
        // Only one of the axes may be the batch.
        let wanted = declared.enumerated().map { $0.element.value ?? ($0.offset == 0 ? 1 : -1) }
        if found.count == wanted.count, zip(found, wanted).allSatisfy({ $1 == -1 || $0 == $1 }) { return output }
        guard !wanted.contains(-1), let count = try? Shape.elementCount(wanted),
            (try? Shape.elementCount(found)) == count
        else {
            throw .invalid("the first network gives \(found), but the second takes \(wanted) as \"\(input.name)\"")
        }
        let extents = declared.enumerated().map { Int64($0.element.value ?? ($0.offset == 0 ? -1 : 1)) }
        let shape: Tensor
        do { shape = try Tensor(extents, shape: [extents.count]) } catch { throw FormatError(error) }
        let constant = addInitializer("\(input.name).shape \(values.count)", shape)
        let result = addValue("\(input.name).reshaped \(values.count)", elementType: input.elementType)
        nodes.append(
            Node(
                name: "\(input.name).reshaped \(values.count)", operation: Reshape(), inputs: [output, constant],
                outputs: [result]))
        return result
    }
}
