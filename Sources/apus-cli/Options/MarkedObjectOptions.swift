import Apus
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

    @OptionGroup var detection: DetectionOptions

    func validate() throws {
        guard (0...1).contains(minConfidence) else {
            throw ValidationError("--min-confidence must lie between 0 and 1, not \(minConfidence)")
        }
        if results != nil, annotations == nil { throw ValidationError("--results needs --annotations") }
        if results == nil, kind != nil { throw ValidationError("--kind belongs to --results") }
        if detection.track { throw ValidationError("--track belongs to apus predict") }
        if annotations == nil, detection.isMentioned {
            throw ValidationError("options about objects need --annotations")
        }
    }

    /// The files to compare; nil without results.
    func files() throws(ApusError) -> (COCOResults, COCOGroundTruth)? {
        guard let results, let annotations else { return nil }
        return (try COCOResults(contentsOf: results), try COCOGroundTruth(contentsOf: annotations))
    }
}

extension DetectionEvaluation.Kind: ExpressibleByArgument {}
