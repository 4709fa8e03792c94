import Formats
import FoundationEssentials
import Graphs
import Images
import Platform

/// What a file says that a model is for.
package struct TaskStatement: Sendable, Equatable, CustomStringConvertible {
    /// What the model is for.
    package enum Purpose: Sendable, Equatable {
        case task(VisionTask)
        /// Something that no task does, in a few words.
        case other(String)
    }

    package let purpose: Purpose
    /// The statement in the file's own words.
    package let text: String
    package let origin: Model.Origin

    /// The statement and where it stands, for people.
    package var description: String { origin == .model ? text : "\(text) \(origin)" }

    package init(_ purpose: Purpose, _ text: String, _ origin: Model.Origin) {
        (self.purpose, self.text, self.origin) = (purpose, text, origin)
    }
}

extension TaskStatement {
    /// Reads entries of a model's metadata: `apus.task`, the `task` of Ultralytics and of Hugging Face's pipelines, the
    /// preview type of Core ML, and the model's name in TensorFlow Lite's metadata.
    init?(metadata: [String: String]) {
        for (key, purposes) in Self.keys {
            guard let value = metadata[key], value.utf8.count <= Self.maximumTextByteCount,
                let purpose = purposes(value)
            else {
                continue
            }
            self.init(purpose, "\"\(value.printable)\"", .metadata(key))
            return
        }
        return nil
    }

    /// Reads which outputs are pictures in colors. Gray ones may be depth or masks.
    init?(pictureOutputs: [String: PictureInput.Channels]) {
        guard let name = pictureOutputs.filter({ $0.value != .gray }).keys.min() else { return nil }
        self.init(.task(.image), "output \"\(name.printable)\" is a picture", .model)
    }

    /// The length of a value beyond which it names no task.
    private static let maximumTextByteCount = 200

    private static let keys: [(key: String, purpose: @Sendable (String) -> Purpose?)] = [
        (EmbeddedDescription.taskKey, { VisionTask(rawValue: $0).map(Purpose.task) }),
        ("task", { tasks[$0.lowercased()] }),
        ("com.apple.coreml.model.preview.type", { previews[$0.lowercased()] }),
        ("name", { purpose(named: $0.lowercased()) }),
    ]

    private static let depth = Purpose.task(.depth)
    private static let pose = Purpose.task(.pose)
    private static let instances = Purpose.other("the segmentation of instances")

    /// Sources: https://docs.ultralytics.com/tasks and https://huggingface.co/tasks
    private static let tasks: [String: Purpose] = [
        "classify": .task(.classify), "image-classification": .task(.classify),
        "detect": .task(.detect), "object-detection": .task(.detect),
        "semantic-segmentation": .task(.segment), "image-feature-extraction": .task(.embed),
        "segment": .task(.segment), "pose": pose, "keypoint-detection": pose,
        "obb": .task(.detect),
        "depth-estimation": depth, "image-to-image": .task(.image),
    ]

    /// Source: `com.apple.coreml.model.preview.type` of https://apple.github.io/coremltools/docs-guides
    private static let previews: [String: Purpose] = [
        "imageclassifier": .task(.classify), "imagesegmenter": .task(.segment),
        "objectdetector": .task(.detect),
        "poseestimation": pose, "depthestimation": depth,
    ]

    /// The purpose that a model's name in TensorFlow Lite's metadata tells.
    ///
    /// Source: the task library of https://github.com/tensorflow/tflite-support
    private static func purpose(named name: String) -> Purpose? {
        switch name {
        case "imageclassifier": .task(.classify)
        case "objectdetector": .task(.detect)
        case "imagesegmenter": .task(.segment)
        case "imageembedder": .task(.embed)
        case _ where name.contains("handlandmark") || name.contains("poselandmark"): pose
        default: name.contains("landmark") ? .task(.landmarks) : nil
        }
    }
}

extension TaskStatement {
    /// Reads a Hugging Face `config.json`: `problem_type`, or the first of `architectures`.
    init?(configuration data: Data, path: String) {
        guard let json = JSONValue(data)?.object else { return nil }
        if json["problem_type"] == .string("regression") {
            self.init(.task(.regress), "\"problem_type\" is \"regression\"", .file(path))
            return
        }
        guard let name = json["architectures"]?.array?.first?.string, name.utf8.count <= Self.maximumTextByteCount,
            let purpose = Self.architectures.first(where: { name.hasSuffix($0.suffix) })?.purpose
        else { return nil }
        self.init(purpose, "\"architectures\" is \"\(name.printable)\"", .file(path))
    }

    /// Source: the heads of https://huggingface.co/docs/transformers/model_doc/auto
    private static let architectures: [(suffix: String, purpose: Purpose)] = [
        ("ForImageClassification", .task(.classify)), ("ForImageClassificationWithTeacher", .task(.classify)),
        ("ForObjectDetection", .task(.detect)), ("ForSemanticSegmentation", .task(.segment)),
        ("ForInstanceSegmentation", instances), ("ForUniversalSegmentation", instances), ("ForDepthEstimation", depth),
        ("ForPoseEstimation", pose), ("ForImageSuperResolution", .task(.image)),
        ("ModelWithProjection", .task(.embed)), ("Backbone", .task(.embed)), ("Model", .task(.embed)),
    ]
}

extension TaskStatement {
    /// What the list of the zoo says that a network is for.
    init(_ network: Networks.Entry) {
        let task: VisionTask =
            switch network.task {
            case .classification: .classify
            case .detection: .detect
            case .segmentation: .segment
            }
        self.init(.task(task), "the zoo says so", .model)
    }
}
