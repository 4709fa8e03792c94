import Apus
import Doors
import ArgumentParser

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
            "Compare the classes of pixels with the masks in this folder: PNG files of grey or of a palette.",
            valueName: "folder"),
        completion: .directory)
    var truth: String?

    @Option(help: ArgumentHelp("The number in masks of pixels that are left out (default: 255).", valueName: "number"))
    var ignore: Int?

    @Option(
        help: ArgumentHelp(
            "The value of --task segment or embed to read (default: by the task).", valueName: "name"))
    var outputName: String?

    @Option(
        help: ArgumentHelp(
            "classify, detect, segment or embed (default: classify, or what --annotations and --truth tell).",
            valueName: "task"))
    var task: VisionTask?

    @OptionGroup var detection: DetectionOptions

    func validate() throws {
        guard (0...1).contains(minConfidence) else {
            throw ValidationError("--min-confidence must lie between 0 and 1, not \(minConfidence)")
        }
        if results != nil, annotations == nil { throw ValidationError("--results needs --annotations") }
        if results == nil, kind != nil { throw ValidationError("--kind belongs to --results") }
        guard [nil, .classify, .detect, .segment, .embed].contains(task) else {
            throw ValidationError("there is no evaluation of --task \(task?.rawValue ?? "")")
        }
        if annotations != nil, truth != nil { throw ValidationError("--annotations and --truth exclude each other") }
        if let task, task != told, told != nil || task == .detect || task == .segment {
            throw ValidationError("--task \(task.rawValue) needs \(task == .segment ? "--truth" : "--annotations")")
        }
        if ignore != nil, truth == nil { throw ValidationError("--ignore needs --truth") }
        if detection.track { throw ValidationError("--track belongs to apus predict") }
        if annotations == nil, detection.isMentioned {
            throw ValidationError("options about objects need --annotations")
        }
    }

    /// The task that other options tell.
    private var told: VisionTask? { annotations != nil ? .detect : truth != nil ? .segment : nil }

    /// The task whose answers are compared.
    var chosenTask: VisionTask { told ?? task ?? .classify }

    /// The files to compare; nil without results.
    func files() throws(ApusError) -> (COCOResults, COCOGroundTruth)? {
        guard let results, let annotations else { return nil }
        return (try COCOResults(contentsOf: results), try COCOGroundTruth(contentsOf: annotations))
    }
}

extension DetectionEvaluation.Kind: ExpressibleByArgument {}
