import Apus
import ArgumentParser

/// The options of what is asked about pictures.
struct TaskOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "\(Self.choices) (default: from the model).", valueName: "task"))
    var task: VisionTask?

    @Option(
        help: ArgumentHelp(
            "The output to read, or any value that apus inspect --nodes lists (default: by the task).",
            valueName: "name"))
    var outputName: String?

    @Option(
        help: ArgumentHelp(
            "Draw boxes, segments or lines of text on the pictures, into JPEG files in this folder.",
            valueName: "folder"),
        completion: .directory)
    var draw: String?

    @Option(
        help: ArgumentHelp("Write the masks of segments into PNG files in this folder.", valueName: "folder"),
        completion: .directory)
    var masks: String?

    @Option(
        help: ArgumentHelp(
            "Write all outputs of --task raw into a NumPy archive (.npz) for each picture, in this folder.",
            valueName: "folder"),
        completion: .directory)
    var arrays: String?

    @Option(help: ArgumentHelp("How the tokens of a picture become one vector: mean or first.", valueName: "how"))
    var pooling = Embedder.Pooling.mean

    @Flag(inversion: .prefixedNo, help: "Divide each vector by its length.")
    var normalize = true

    private static var choices: String {
        VisionTask.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "; ")
    }

    func validate() throws {
        if outputName != nil, task == nil || task == .classify || task == .detect {
            throw ValidationError("--output-name belongs to \(Self.tasksOfNamedOutputs)")
        }
    }

    /// Refuses options that belong to another task.
    func check(_ task: VisionTask) throws {
        if draw != nil, ![.detect, .segment, .text].contains(task) {
            throw ApusError.usage(
                "--draw draws what --task detect, segment or text finds, not what --task \(task.rawValue) does")
        }
        if arrays != nil, task != .raw {
            throw ApusError.usage("--arrays takes the outputs of --task raw, not of --task \(task.rawValue)")
        }
        if masks != nil, task != .segment {
            throw ApusError.usage("--masks takes what --task segment finds, not what --task \(task.rawValue) does")
        }
    }

    private static var tasksOfNamedOutputs: String {
        VisionTask.allCases.filter { $0 != .classify && $0 != .detect }.map { "--task \($0.rawValue)" }
            .joined(separator: ", ")
    }

    /// The task for a model: the one that is given, that to which other options belong, or what the model is for.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when nothing says what the model is for.
    func task(of model: Model, _ detection: DetectionOptions) throws(ApusError) -> VisionTask {
        if let task { return task }
        if detection.isMentioned { return .detect }
        if masks != nil { return .segment }
        if arrays != nil { return .raw }
        if draw != nil {
            let purpose = model.purpose.task
            return purpose == .segment || purpose == .text ? purpose ?? .detect : .detect
        }
        return try model.taskForPredictions()
    }

    /// The settings of the options for a task.
    var settings: TaskSettings {
        var settings = TaskSettings()
        settings.outputName = outputName
        settings.embedding = Embedder.Options(pooling: pooling, isNormalized: normalize)
        return settings
    }
}

extension VisionTask: ExpressibleByArgument {}
extension Embedder.Pooling: ExpressibleByArgument {}
