import Apus
import ArgumentParser

/// The options of what is asked about pictures.
package struct TaskOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "\(Self.choices) (default: from the model).", valueName: "task"))
    package var task: VisionTask?

    @Option(
        help: ArgumentHelp(
            "The output to read, or any value that apus inspect --nodes lists (default: by the task).",
            valueName: "name"))
    package var outputName: String?

    @Option(
        help: ArgumentHelp(
            "The depths that are 0 and 65,535 in .png files (default: the least and the largest of each picture).",
            valueName: "least,most"),
        transform: NumberList.reading("two numbers with a comma such as 0,10"))
    package var depthRange: NumberList?

    @Option(
        help: ArgumentHelp(
            """
            The range of the numbers from which --task image makes pictures: 0 to 1 (unit), 0 to 255 (bytes), -1 to 1 \
            (signed), or that of the network's input (input) (default: by the last operator, else input).
            """, valueName: "range"))
    package var imageRange: PixelRange?

    @Option(
        help: ArgumentHelp(
            "The width and height of tiles into which --task image cuts pictures (default: the network's size, if fixed).",
            valueName: "pixels"))
    package var tile: Int?

    @Option(
        help: ArgumentHelp(
            "The number of pixels that neighboring tiles share (default: 32, or half a tile).", valueName: "pixels"))
    package var overlap: Int?

    @Option(
        help: ArgumentHelp(
            "Extend pictures of --task image to a multiple of this, by mirroring them at the right and the bottom.",
            valueName: "pixels")
    )
    package var multiple: Int?

    @Option(
        help: ArgumentHelp(
            "The form of masks in rows: rle (COCO's compressed runs), counts (the lengths of runs) or polygons (along "
                + "the borders of pixels).",
            valueName: "form"))
    package var maskForm: MaskForm?

    @Option(
        help: ArgumentHelp(
            "The unit of the coordinates that the network gives: pixels of its input, or fractions of it (normalized).",
            valueName: "unit"))
    package var pointUnits: DetectionConfiguration.BoxUnits?

    @Option(
        help: ArgumentHelp(
            "How the tokens of a picture become one vector: mean or first (default: mean).", valueName: "how"))
    package var pooling: Embedder.Pooling?

    @Flag(inversion: .prefixedNo, help: "Divide each vector by its length (default: --normalize).")
    package var normalize: Bool?

    private static var choices: String {
        VisionTask.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "; ")
    }

    package func validate() throws {
        if outputName != nil, !(task?.type.readsNamedOutput ?? false) {
            throw ValidationError("--output-name belongs to \(Self.tasksOfNamedOutputs)")
        }
        if let depthRange {
            guard depthRange.numbers.count == 2, depthRange.numbers[0] < depthRange.numbers[1] else {
                throw ValidationError("--depth-range takes two numbers, of which the second is larger")
            }
        }
        if let tile { try ExecutionOptions.check(tile, "--tile", atMost: Preprocessing.maximumEdge) }
        if let overlap { try ExecutionOptions.check(overlap, "--overlap", from: 0, atMost: Preprocessing.maximumEdge) }
        if let multiple { try ExecutionOptions.check(multiple, "--multiple", atMost: 4096) }
    }

    /// Refuses options that belong to another task.
    package func check(_ task: VisionTask) throws {
        if maskForm != nil, task != .segment {
            throw ApusError.usage("--mask-form belongs to --task segment, not to --task \(task.rawValue)")
        }
        if pointUnits != nil, task != .pose, task != .landmarks {
            throw ApusError.usage("--point-units belongs to --task pose and landmarks, not to --task \(task.rawValue)")
        }
        if pooling != nil || normalize != nil, task != .embed {
            throw ApusError.usage(
                "--pooling and --normalize belong to --task embed, not to --task \(task.rawValue)")
        }
        if depthRange != nil, task != .depth {
            throw ApusError.usage("--depth-range belongs to --task depth, not to --task \(task.rawValue)")
        }
        if imageRange != nil || tile != nil || overlap != nil || multiple != nil, task != .image {
            throw ApusError.usage(
                "--image-range, --tile, --overlap and --multiple are about --task image, not \(task.rawValue)")
        }
    }

    private static var tasksOfNamedOutputs: String {
        VisionTask.allCases.filter { $0.type.readsNamedOutput }.map { "--task \($0.rawValue)" }
            .joined(separator: ", ")
    }

    /// The task for a model: the one that is given, that to which other options belong, or what the model is for.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when nothing says what the model is for.
    package func task(
        of model: Model, _ detection: DetectionOptions, _ files: RecordFileOptions
    ) throws(ApusError) -> VisionTask {
        if let task { return task }
        if files.yolo != nil || files.voc != nil, let task = files.impliedTask(model) { return task }
        if detection.isMentioned {
            let purpose = model.purpose.task
            return !detection.belongsToDetection && (purpose == .segment || purpose == .pose)
                ? purpose ?? .detect : .detect
        }
        if maskForm != nil { return .segment }
        if let task = files.impliedTask(model) { return task }
        return try model.taskForPredictions()
    }

    /// The settings of the options for a task.
    package var settings: TaskSettings {
        var settings = TaskSettings()
        settings.outputName = outputName
        settings.embedding = Embedder.Options(pooling: pooling ?? .mean, isNormalized: normalize ?? true)
        settings.depth.range = depthRange.flatMap { $0.numbers.count == 2 ? $0.numbers[0]...$0.numbers[1] : nil }
        settings.image = ImageGenerator.Options(
            range: imageRange, tile: tile, overlap: overlap, multiple: multiple ?? 1)
        return settings
    }
}

extension DetectionConfiguration.BoxUnits: ExpressibleByArgument {}
extension MaskForm: ExpressibleByArgument {}
extension VisionTask: ExpressibleByArgument {}
extension Embedder.Pooling: ExpressibleByArgument {}
extension PixelRange: ExpressibleByArgument {}
