import Apus
import ArgumentParser

/// The options for files that are written for each picture, beside the rows.
package struct RecordFileOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "Draw classes, boxes, segments, points, lines of text or depth on the pictures, into JPEG files in this folder.",
            valueName: "folder"),
        completion: .directory)
    package var draw: String?

    @Option(
        help: ArgumentHelp("Write the masks of segments into PNG files in this folder.", valueName: "folder"),
        completion: .directory)
    package var masks: String?

    @Option(
        help: ArgumentHelp(
            "Write the foreground of --task segment into PNG files with an alpha channel in this folder.",
            valueName: "folder"),
        completion: .directory)
    package var cutouts: String?

    @Option(
        help: ArgumentHelp(
            "Write all outputs of --task raw into a NumPy archive (.npz) for each picture, in this folder.",
            valueName: "folder"),
        completion: .directory)
    package var arrays: String?

    @Option(
        help: ArgumentHelp(
            "Write the maps of --task depth into files in this folder: .npy of float32, and .png of 16 bits.",
            valueName: "folder"),
        completion: .directory)
    package var depth: String?

    @Option(
        help: ArgumentHelp("Write the pictures of --task image into files in this folder.", valueName: "folder"),
        completion: .directory)
    package var images: String?

    @Option(
        help: ArgumentHelp(
            "The format of the pictures of --images: png or jpeg (default: png).", valueName: "format"))
    package var imageFormat: ImageFolder.Form?

    @Option(
        help: ArgumentHelp(
            "Write boxes, outlines of masks or points in YOLO's form into a text file for each picture, in this folder.",
            valueName: "folder"),
        completion: .directory)
    package var yolo: String?

    @Option(
        help: ArgumentHelp(
            "Write the boxes of objects in Pascal VOC's form into an XML file for each picture, in this folder.",
            valueName: "folder"),
        completion: .directory)
    package var voc: String?

    @Option(
        help: ArgumentHelp(
            "Write the lines of text as hOCR into a file for each picture, in this folder.", valueName: "folder"),
        completion: .directory)
    package var hocr: String?

    /// The tasks whose answers can be drawn.
    package static let tasksOfDrawings = VisionTask.allCases.filter { task in
        task.type.contents.contains { $0.type.forms.contains(.drawing) }
    }

    /// Each folder with the option that names it, and the tasks whose answers it takes.
    private var foldersOfTasks: [(option: String, path: String?, tasks: [VisionTask])] {
        [
            ("--masks", masks, [.segment]), ("--cutouts", cutouts, [.segment]), ("--arrays", arrays, [.raw]),
            ("--depth", depth, [.depth]), ("--images", images, [.image]),
            ("--yolo", yolo, [.detect, .segment, .pose]), ("--voc", voc, [.detect]), ("--hocr", hocr, [.text]),
        ]
    }

    /// The task of a model to which a folder belongs: what the model is for, where the folder takes its answers, or the
    /// first task of the folder. Nil where no folder is named, or only that of drawings.
    package func impliedTask(_ model: Model) -> VisionTask? {
        guard let tasks = tasksOfFolder else { return nil }
        guard tasks.count > 1, let purpose = model.purpose.task, tasks.contains(purpose),
            purpose.type.content(for: model) != .segments
        else { return tasks[0] }
        return purpose
    }

    /// The tasks whose answers the first folder takes; nil where no folder is named, or only that of drawings.
    package var tasksOfFolder: [VisionTask]? { foldersOfTasks.first { $0.path != nil }?.tasks }

    /// Refuses folders for the answers of another task.
    ///
    /// - Parameter content: What the model's answers are.
    package func check(_ task: VisionTask, _ content: ImageAnswer.Content) throws(ApusError) {
        if imageFormat != nil, images == nil { throw .usage("--image-format is the format of files of --images") }
        if draw != nil, !Self.tasksOfDrawings.contains(task) {
            throw .usage(
                "--draw draws what --task \(Self.tasksOfDrawings.map(\.rawValue).joined(separator: ", ")) gives, not what "
                    + "--task \(task.rawValue) does")
        }
        for folder in foldersOfTasks where folder.path != nil && !folder.tasks.contains(task) {
            let tasks = folder.tasks.map(\.rawValue).joined(separator: ", ")
            throw .usage("\(folder.option) takes what --task \(tasks) gives, not what --task \(task.rawValue) does")
        }
        if yolo != nil, content == .segments {
            throw .usage("--yolo takes objects, and this network gives the class of each pixel (see --masks)")
        }
    }

    /// Makes the folders.
    ///
    /// - Parameter replacesOthers: Whether files that the command did not make may be replaced.
    package func add(to options: inout BatchOptions, replacingOthers replacesOthers: Bool) throws(ApusError) {
        if let draw { options.drawing = try DrawingFolder(path: draw, replacesOthers: replacesOthers) }
        if let masks { options.masks = try MaskFolder(path: masks, replacesOthers: replacesOthers) }
        if let cutouts { options.cutouts = try CutoutFolder(path: cutouts, replacesOthers: replacesOthers) }
        if let arrays { options.arrays = try NumPyArchiveFolder(path: arrays, replacesOthers: replacesOthers) }
        if let depth {
            options.depth = try DepthFolder.Form.allCases.map { form throws(ApusError) in
                try DepthFolder(path: depth, form: form, replacesOthers: replacesOthers)
            }
        }
        if let images {
            options.images = try ImageFolder(path: images, form: imageFormat ?? .png, replacesOthers: replacesOthers)
        }
        if let yolo { options.yolo = try YOLOFolder(path: yolo, replacesOthers: replacesOthers) }
        if let voc { options.voc = try VOCFolder(path: voc, replacesOthers: replacesOthers) }
        if let hocr { options.hOCR = try HOCRFolder(path: hocr, replacesOthers: replacesOthers) }
    }
}

extension ImageFolder.Form: ExpressibleByArgument {}
