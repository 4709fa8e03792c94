import Apus
import ArgumentParser

/// Whether objects are looked for, and how a detector's outputs become objects.
struct DetectionOptions: ParsableArguments {
    enum Task: String, CaseIterable, ExpressibleByArgument {
        case classify, detect
    }

    @Option(
        help: ArgumentHelp(
            "Give the classes of whole pictures, or find objects (default: as the model says).", valueName: "task"))
    var task: Task?

    @Option(
        help: ArgumentHelp(
            """
            How outputs become boxes: \(Catalog.decoderNames.joined(separator: ", ")) (default: told by the outputs).
            """, valueName: "name"), completion: .list(Catalog.decoderNames))
    var decoder: String?

    @Option(
        help: ArgumentHelp(
            "How outputs become objects, as JSON (default: NAME.postprocess.json beside the model).", valueName: "file"),
        completion: .file())
    var postprocess: String?

    @Option(
        help: ArgumentHelp(
            "The most that two boxes overlap, intersection ÷ union, for both to be kept (default: 0.45).",
            valueName: "number"))
    var iou: Float?

    @Flag(help: "Let boxes of different classes suppress each other too.")
    var classAgnostic = false

    @Option(help: ArgumentHelp("How many objects per picture (default: 100).", valueName: "count"))
    var maxObjects: Int?

    @Option(
        help: ArgumentHelp("Draw boxes and classes on the pictures, into JPEG files here.", valueName: "folder"),
        completion: .directory)
    var draw: String?

    @Flag(help: "The pictures are the frames of one video: number the things in it, the same in every frame.")
    var track = false

    func validate() throws {
        if let decoder, !Catalog.decoderNames.contains(decoder) {
            let names = Catalog.decoderNames.joined(separator: ", ")
            throw ValidationError("--decoder \(decoder): there is no such decoder; there are \(names)")
        }
        if let iou, !(0...1).contains(iou) { throw ValidationError("--iou must lie between 0 and 1, not \(iou)") }
        if let maxObjects { try ExecutionOptions.check(maxObjects, "--max-objects", atMost: 100_000) }
        if task == .classify, isMentioned {
            throw ValidationError("--task classify finds no objects; leave out the options about them")
        }
    }

    private var isMentioned: Bool {
        decoder != nil || postprocess != nil || iou != nil || classAgnostic || maxObjects != nil || draw != nil || track
    }

    /// Whether objects are looked for.
    func isWanted(of model: Model) -> Bool {
        switch task {
        case .detect: return true
        case .classify: return false
        case nil: return isMentioned || model.findsObjects
        }
    }

    /// What files and options say together.
    func configuration(for model: Model, minimumConfidence: Float?) throws(ApusError) -> DetectionConfiguration {
        var configuration = model.detection ?? DetectionConfiguration()
        if let postprocess { configuration = try DetectionConfiguration(contentsOf: postprocess) }
        if let decoder { configuration.decoder = decoder }
        if let minimumConfidence { configuration.minimumConfidence = minimumConfidence }
        if let iou { configuration.suppression.threshold = iou }
        if classAgnostic { configuration.suppression.isClassAgnostic = true }
        if let maxObjects { configuration.suppression.maximumCount = maxObjects }
        return configuration
    }
}
