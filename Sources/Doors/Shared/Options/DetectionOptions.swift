import Apus
import ArgumentParser

/// The options of detecting objects.
package struct DetectionOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            """
            The decoder of boxes: \(Catalog.decoderNames.joined(separator: ", ")); of points: \
            \(Catalog.pointDecoderNames.joined(separator: ", ")) (default: from the outputs).
            """, valueName: "name"), completion: .list(Catalog.decoderNames + Catalog.pointDecoderNames))
    package var decoder: String?

    @Option(
        help: ArgumentHelp(
            "The decoding of objects, as JSON (default: NAME.postprocess.json beside the model).", valueName: "file"),
        completion: .file())
    package var postprocess: String?

    @Option(
        help: ArgumentHelp(
            "The maximum overlap of two boxes, intersection ÷ union, that keeps both (default: 0.45; 0.7 for exports "
                + "of Ultralytics).",
            valueName: "number"))
    package var iou: Float?

    @Flag(help: "Let boxes of different classes suppress each other too.")
    package var classAgnostic = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of objects per picture (default: 100; 300 for exports of Ultralytics).",
            valueName: "count"))
    package var maxObjects: Int?

    @Flag(help: "The pictures are the frames of one video: number each object, with one number in all frames.")
    package var track = false

    package func validate() throws {
        let known = Catalog.decoderNames + Catalog.pointDecoderNames
        if let decoder, !known.contains(decoder) {
            let names = known.joined(separator: ", ")
            throw ValidationError("--decoder \(decoder): there is no such decoder; there are \(names)")
        }
        if let iou, !(0...1).contains(iou) { throw ValidationError("--iou must lie between 0 and 1, not \(iou)") }
        if let maxObjects { try ExecutionOptions.check(maxObjects, "--max-objects", atMost: 100_000) }
    }

    /// Whether an option about objects is given.
    package var isMentioned: Bool {
        decoder != nil || postprocess != nil || iou != nil || classAgnostic || maxObjects != nil || track
    }

    /// Whether an option is given that only boxes have.
    package var belongsToDetection: Bool { track || decoder.map { Catalog.decoderNames.contains($0) } ?? false }

    /// The configuration from the model's files and the options.
    ///
    /// - Parameter described: What the model's files say about its outputs.
    package func configuration(
        _ described: DetectionConfiguration?, minimumConfidence: Float?
    ) throws(ApusError) -> DetectionConfiguration {
        var configuration = described ?? DetectionConfiguration()
        if let postprocess { configuration = try DetectionConfiguration(contentsOf: postprocess) }
        if let decoder { configuration.decoder = decoder }
        if let minimumConfidence { configuration.minimumConfidence = minimumConfidence }
        if let iou { configuration.suppression.threshold = iou }
        if classAgnostic { configuration.suppression.isClassAgnostic = true }
        if let maxObjects { configuration.suppression.maximumCount = maxObjects }
        return configuration
    }
}
