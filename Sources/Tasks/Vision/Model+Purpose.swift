import Graphs
import Inference
import Models
import Platform
import Preparation

/// What a model is for, and what says so.
public struct ModelPurpose: Sendable, Equatable {
    /// The task; nil when nothing tells it, or when the model is for something that no task does.
    public let task: VisionTask?
    /// What says so, in one phrase; without a task, what the outputs look like.
    public let evidence: String
    /// The tasks that could read the outputs, if one knew that they are for it.
    public let candidates: [VisionTask]
}

extension Model {
    /// What the model is for, and what says so: a file beside it, its metadata, or the names and shapes of its outputs,
    /// in this order.
    ///
    ///     print(model.purpose.task ?? .raw, model.purpose.evidence)
    ///
    /// A network with one output that has a row of numbers for each picture is a classifier, unless something says
    /// otherwise. Nothing else is guessed.
    public var purpose: ModelPurpose { describedByFamily().ownPurpose }

    private var ownPurpose: ModelPurpose {
        let signature = TaskSignature(self)
        var candidates = Catalog.tasks.filter { $0.canRead(signature) }.map { $0.task }
        if let (task, evidence) = declaredTask ?? evidentTask(of: signature) {
            return ModelPurpose(task: task, evidence: evidence, candidates: candidates)
        }
        let outputs = signature.outputs.prefix(8).map { $0.description(signature.layout) }
        let more = signature.outputs.count > 8 ? " and \(signature.outputs.count - 8) more" : ""
        let list = outputs.joined(separator: ", ") + more
        var evidence = "nothing says what this network is for; "
        if let statement = taskStatement, case .other(let purpose) = statement.purpose {
            candidates = [.raw]
            evidence = "\(statement): the network is for \(purpose), which no task does; "
        }
        if pictureInputCount > 1 {
            candidates = []
            evidence =
                "the network takes \(pictureInputCount) pictures; give all but one with --input NAME=VALUE; "
        }
        let rows = signature.outputs.compactMap(\.rowExtent)
        if let count = signature.labelCount, rows.count == signature.outputs.count,
            !rows.contains(where: signature.labelsFit)
        {
            evidence += count == 1 ? "its label fits no output; " : "its \(count) labels fit no output; "
        }
        evidence += signature.outputs.count == 1 ? "its output is \(list)" : "its outputs are \(list)"
        return ModelPurpose(task: nil, evidence: evidence, candidates: candidates)
    }

    /// The number of inputs that could be pictures and are given no value.
    private var pictureInputCount: Int {
        graph.inputs.count { inputValues[graph[$0].name] == nil && graph[$0].isPicture }
    }

    /// The task that a file beside the model, its metadata or its format name.
    private var declaredTask: (VisionTask, String)? {
        if detection != nil {
            return (.detect, "the decoding of objects is described \(origins.detection?.description ?? "by the model")")
        }
        if let statement = taskStatement, case .file = statement.origin, case .task(let task) = statement.purpose {
            return (task, statement.description)
        }
        switch continuation {
        case .suppression?: return (.detect, "the file suppresses overlapping boxes")
        case .classification?: return (.classify, "the file ends in a classifier")
        case nil: break
        }
        if let scoresName { return (.classify, "the file names \"\(scoresName)\" as the scores of classes") }
        guard let statement = taskStatement, case .task(let task) = statement.purpose else { return nil }
        return (task, statement.description)
    }

    /// The task that the names and shapes of the outputs tell, unless something says that there is none.
    private func evidentTask(of signature: TaskSignature) -> (VisionTask, String)? {
        if case .other? = taskStatement?.purpose { return nil }
        if pictureInputCount > 1 { return nil }
        for task in Catalog.tasks {
            if let evidence = task.evidence(in: signature) { return (task.task, evidence) }
        }
        return nil
    }

    /// The task for predictions.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when nothing says what the model is for, with the tasks that might fit.
    package func taskForPredictions() throws(ApusError) -> VisionTask {
        let purpose = purpose
        if let task = purpose.task { return task }
        _ = try ImageInput(self, preprocessing: nil)
        let choices = purpose.candidates.map { "--task \($0.rawValue) (\($0.summary))" }
        throw .usage("\(name): \(purpose.evidence); what might fit: \(choices.joined(separator: ", "))")
    }
}
