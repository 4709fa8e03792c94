import Apus
import ArgumentParser
import SharedOptions

/// The options for comparing objects with those that people marked.
struct MarkedObjectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Marked objects, as COCO's ground truth.", valueName: "file"), completion: .file())
    var annotations: String?

    @Option(
        help: ArgumentHelp("Compare the objects of this list of COCO results; no network runs.", valueName: "file"),
        completion: .file())
    var results: String?

    @Option(
        help: ArgumentHelp(
            "What is compared of --results: boxes, masks or keypoints (default: what the results have).",
            valueName: "what"))
    var kind: DetectionEvaluation.Kind?

    @Option(help: ArgumentHelp("The minimum confidence of objects, from 0 to 1.", valueName: "number"))
    var minConfidence: Float = 0.001

    @Option(
        help: ArgumentHelp(
            "The true masks, to compare the classes of pixels with: a folder of PNG files, grey or with a palette; with "
                + "--task depth a folder of depths, PNG or npy files; or the true texts, to compare the read ones with: "
                + "a CSV or JSON Lines file with columns file and text.",
            valueName: "folder|file"),
        completion: .file())
    var truth: String?

    @Option(help: ArgumentHelp("The number in masks of pixels that are left out (default: 255).", valueName: "number"))
    var ignore: Int?

    @Option(
        help: ArgumentHelp(
            "The value of --task segment, depth, embed or text to read (default: by the task).", valueName: "name"))
    var outputName: String?

    @Option(
        help: ArgumentHelp(
            "classify, detect, segment, pose, depth, embed or text (default: classify, or what --annotations and --truth "
                + "tell).",
            valueName: "task"))
    var task: VisionTask?

    @OptionGroup var detection: DetectionOptions

    func validate() throws {
        guard (0...1).contains(minConfidence) else {
            throw ValidationError("--min-confidence must lie between 0 and 1, not \(minConfidence)")
        }
        if results != nil, annotations == nil { throw ValidationError("--results needs --annotations") }
        if results == nil, kind != nil { throw ValidationError("--kind belongs to --results") }
        guard [nil, .classify, .detect, .segment, .pose, .depth, .embed, .text].contains(task) else {
            throw ValidationError("there is no evaluation of --task \(task?.rawValue ?? "")")
        }
        if annotations != nil, truth != nil { throw ValidationError("--annotations and --truth exclude each other") }
        if let task, !fits(task) {
            let needed =
                switch task {
                case .segment: "--truth with a folder of masks, or --annotations"
                case .depth: "--truth with a folder of depths"
                case .text: "--truth with a CSV or JSON Lines file"
                case .detect, .pose: "--annotations"
                default: "neither --annotations nor --truth"
                }
            throw ValidationError("--task \(task.rawValue) needs \(needed)")
        }
        if ignore != nil, annotations != nil || told != .segment {
            throw ValidationError("--ignore needs --truth with a folder of masks")
        }
        if detection.track { throw ValidationError("--track belongs to apus predict") }
        if annotations == nil, detection.isMentioned {
            throw ValidationError("options about objects need --annotations")
        }
    }

    /// The task that other options tell.
    private var told: VisionTask? {
        annotations != nil ? .detect : truth.map { TextTruth.isList($0) ? .text : task == .depth ? .depth : .segment }
    }

    /// The tasks whose answers are compared with marked objects.
    private static let tasksOfObjects: [VisionTask] = [.detect, .segment, .pose]

    /// Whether the files to compare with are those of a task.
    private func fits(_ task: VisionTask) -> Bool {
        if annotations != nil { return Self.tasksOfObjects.contains(task) }
        return told.map { $0 == task } ?? [.classify, .embed].contains(task)
    }

    /// The task whose answers are compared.
    var chosenTask: VisionTask { annotations != nil ? task ?? .detect : told ?? task ?? .classify }

    /// The task whose answers are compared with marked objects: the one that is given, or what the model is for.
    func taskOfObjects(_ model: Model) -> VisionTask {
        if let task { return task }
        return model.purpose.task.flatMap { Self.tasksOfObjects.contains($0) ? $0 : nil } ?? .detect
    }

    /// The files to compare; nil without results.
    func files() throws(ApusError) -> (COCOResults, COCOGroundTruth)? {
        guard let results, let annotations else { return nil }
        return (try COCOResults(contentsOf: results), try COCOGroundTruth(contentsOf: annotations))
    }
}

extension DetectionEvaluation.Kind: ExpressibleByArgument {}
