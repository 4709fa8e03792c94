import Foundation
import Images
import Platform

/// How a detector's outputs become objects; read from `NAME.postprocess.json` beside the model.
///
///     {"decoder": "yolox", "confidence_threshold": 0.3, "iou_threshold": 0.45, "class_agnostic": false,
///      "max_objects": 100, "labels": ["person", "bicycle"]}
///
/// Every key may be absent. `strides` (YOLOX), `anchors` (YOLOv3: a list for each head, the finest first, of lists of width and height),
/// `box_format` (`ltrb`, `tlbr` or `cxcywh`), `box_units` (`normalized` or `pixels`) and `class_offset` (SSD) say how the
/// numbers are meant where a decoder leaves that open; `input_size` (`{"width": 640, "height": 640}`) is the size of pictures
/// where the network leaves it open; `category_ids` is what results in COCO's form call the classes.
public struct DetectionConfiguration: Sendable, Equatable {
    /// How four numbers make a box.
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

    /// What the numbers of a box count.
    public enum BoxUnits: String, Sendable, CaseIterable {
        /// Parts of the input's width and height.
        case normalized
        /// Pixels of the input.
        case pixels
    }

    /// The outputs with what pipelines of Core ML suppress.
    package struct BoxOutputs: Sendable, Equatable, Codable {
        package let confidence: String
        package let coordinates: String

        package init(confidence: String, coordinates: String) {
            (self.confidence, self.coordinates) = (confidence, coordinates)
        }
    }

    /// A name in ``Catalog/decoderNames``; nil to tell by the outputs.
    public var decoder: String?
    /// Objects with less confidence are left out.
    public var minimumConfidence: Float = 0.25
    /// Which boxes that overlap are kept.
    public var suppression = NonMaximumSuppression()
    /// The names of the classes.
    public var labels: Labels?
    /// The strides of the grids, the finest first.
    public var strides: [Int]?
    /// The anchors by head, the finest first: lists of width and height, in pixels of the input.
    public var anchors: [[[Float]]]?
    /// How four numbers make a box.
    public var boxFormat: BoxFormat?
    /// What the numbers of a box count.
    public var boxUnits: BoxUnits?
    /// The number of the first class.
    public var classOffset: Int?
    /// What COCO results call the classes.
    public var categoryIDs: [Int]?
    /// The size that pictures get where the network leaves its own open.
    public var inputSize: ImageSize?
    /// The outputs with the confidences and the coordinates of boxes that are still to be suppressed, when the model says which.
    package var boxOutputs: BoxOutputs?

    /// Makes the configuration that leaves everything to the decoder.
    public init() {}

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

    /// What ``init(json:path:)`` reads, without the labels.
    package var json: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(SidecarFile(self))).flatMap { String(data: $0, encoding: .utf8) }
    }
}
