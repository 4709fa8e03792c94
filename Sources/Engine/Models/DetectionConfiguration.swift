import Features
import FoundationEssentials
import Images
import Platform

/// How a detector's outputs become objects; read from `NAME.postprocess.json` beside the model.
///
///     {"decoder": "yolox", "confidence_threshold": 0.3, "iou_threshold": 0.45, "class_agnostic": false,
///      "max_objects": 100, "labels": ["person", "bicycle"]}
///
/// Every key is optional. `task` is `detect` unless the model is for another task; the file may then give its `labels`.
/// `strides` (YOLOX), `anchors` (YOLOv3: a list for each head, the finest first, of lists of width and height),
/// `box_format` (`ltrb`, `tlbr` or `cxcywh`), `box_units` (`normalized` or `pixels`) and `class_offset` (SSD) give the
/// meaning of the numbers where the decoder does not.
/// `input_size` (`{"width": 640, "height": 640}`) is the size of pictures where the network does not fix it, and
/// `category_ids` are the numbers of the classes in results in COCO's form. For poses and landmarks,
/// `keypoints` are the names of the points, `skeleton` is the pairs of points between which lines are drawn, and
/// `point_units` (`normalized` or `pixels`) is the unit of coordinates.
public struct DetectionConfiguration: Sendable, Equatable {
    /// The order and meaning of the four numbers of a box.
    public enum BoxFormat: String, Sendable, CaseIterable {
        case leftTopRightBottom = "ltrb"
        case topLeftBottomRight = "tlbr"
        case centerAndSize = "cxcywh"

        /// The edges of a box, from its four numbers.
        package func edges(_ numbers: ArraySlice<Float>) -> (left: Float, top: Float, right: Float, bottom: Float) {
            let n = Array(numbers)
            switch self {
            case .leftTopRightBottom: return (n[0], n[1], n[2], n[3])
            case .topLeftBottomRight: return (n[1], n[0], n[3], n[2])
            case .centerAndSize: return (n[0] - n[2] / 2, n[1] - n[3] / 2, n[0] + n[2] / 2, n[1] + n[3] / 2)
            }
        }
    }

    /// The unit of the numbers of a box.
    public enum BoxUnits: String, Sendable, CaseIterable {
        /// Fractions of the input's width and height.
        case normalized
        /// Pixels of the input.
        case pixels
    }

    /// The outputs with the boxes that a Core ML pipeline suppresses.
    package struct BoxOutputs: Sendable, Equatable, Codable {
        package let confidence: String
        package let coordinates: String

        package init(confidence: String, coordinates: String) {
            (self.confidence, self.coordinates) = (confidence, coordinates)
        }
    }

    /// The task, when the file names it.
    package var task: VisionTask?
    /// The decoder's name, one of ``Catalog/decoderNames`` or, for poses and landmarks, of
    /// ``Catalog/pointDecoderNames``; nil to choose by the outputs.
    public var decoder: String?
    /// Objects with less confidence are left out.
    public var minimumConfidence: Float = 0.25 { didSet { isConfidenceGiven = true } }
    /// Whether the least confidence was given, so that no decoder replaces it by its family's own.
    package internal(set) var isConfidenceGiven = false
    /// The minimum confidence that a file or the caller gives.
    package var givenConfidence: Float? { isConfidenceGiven ? minimumConfidence : nil }
    /// Which of several overlapping boxes are kept.
    public var suppression = NonMaximumSuppression()
    /// The names of the classes.
    public var labels: Labels?
    /// The strides of the grids, the finest first.
    public var strides: [Int]?
    /// The anchors by head, the finest first: lists of width and height, in pixels of the input.
    public var anchors: [[[Float]]]?
    /// The order and meaning of the four numbers of a box.
    public var boxFormat: BoxFormat?
    /// The unit of the numbers of a box.
    public var boxUnits: BoxUnits?
    /// The number of the first class.
    public var classOffset: Int?
    /// The numbers of the classes in results in COCO's form.
    public var categoryIDs: [Int]?
    /// The size to which pictures are brought where the network does not fix it.
    public var inputSize: ImageSize?
    /// The names of the points of an object, in the order of the outputs.
    public var keypointNames: [String]?
    /// The number of points of an object and that of numbers of a point, when the model gives them.
    package var keypointShape: [Int]?
    /// The pairs of points, by their positions, between which lines are drawn.
    public var skeleton: [[Int]]?
    /// The unit of the coordinates of points where the decoder does not fix it.
    public var pointUnits: BoxUnits?
    /// The outputs with the confidences and the coordinates of boxes that are not suppressed yet, when the model names
    /// them.
    package var boxOutputs: BoxOutputs?

    /// Makes the configuration that leaves everything to the decoder.
    public init() {}

    /// The configuration with another's decoder, size, labels and least confidence where it has none.
    package func completed(by other: DetectionConfiguration) -> DetectionConfiguration {
        var merged = self
        merged.decoder = decoder ?? other.decoder
        merged.inputSize = inputSize ?? other.inputSize
        merged.labels = labels ?? other.labels
        if !isConfidenceGiven, let confidence = other.givenConfidence { merged.minimumConfidence = confidence }
        return merged
    }

    /// Reads a sidecar file.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming the file and the key.
    public init(contentsOf path: String) throws(ApusError) {
        try self.init(json: try FileContent.read(path), path: path)
    }

    package init(json: Data, path: String) throws(ApusError) {
        do {
            let file = try JSONDecoder().decode(SidecarFile.self, from: json)
            try self.init(file)
        } catch let problem as SidecarFile.Problem {
            throw .file(path: path, message: problem.message)
        } catch let DecodingError.typeMismatch(_, context) where !context.codingPath.isEmpty {
            throw .file(path: path, message: "\"\(context.codingPath[0].stringValue)\" has the wrong type")
        } catch {
            throw .file(path: path, message: "is not a JSON object")
        }
    }

    /// The configuration as JSON for ``init(json:path:)``, without the labels.
    package var json: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(SidecarFile(self))).flatMap { String(data: $0, encoding: .utf8) }
    }
}

extension DetectionConfiguration {
    /// Makes the configuration that the suppression stage of a Core ML pipeline describes.
    package init(_ stage: BoxSuppression) {
        self.init()
        minimumConfidence = Float(stage.confidenceThreshold)
        suppression = NonMaximumSuppression(
            threshold: Float(stage.iouThreshold), isClassAgnostic: !stage.isPerClass)
    }
}
