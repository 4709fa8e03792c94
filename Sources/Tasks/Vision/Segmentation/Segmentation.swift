import Images
import Predicting
import Tensors

/// The class of every pixel of a picture.
///
///     for segment in try await segmenter.predict(.file("street.jpg")).segments {
///         print(segment.identifier, segment.area, segment.runs.compressed)
///     }
public struct Segmentation: Sendable {
    /// The size of the upright picture; that of the network's input for records that are arrays of numbers.
    public let imageSize: ImageSize
    /// The class of every pixel, [height, width], of uint8, or of uint16 where there are more than 255 classes. Pixels
    /// that the network did not see have the largest number of the type.
    public let classes: Tensor
    /// The share of the foreground in every pixel, [height, width], from 0 to 255; nil for networks with a map for each
    /// class. Where it is known, `classes` has 1 where the share is at least the threshold.
    public let matte: Tensor?
    /// The classes that the picture shows, in the network's order. For a matte it is the foreground alone.
    public let segments: [Segment]

    package init(imageSize: ImageSize, classes: Tensor, matte: Tensor?, segments: [Segment]) {
        (self.imageSize, self.classes, self.matte, self.segments) = (imageSize, classes, matte, segments)
    }

    /// The number in ``classes`` of pixels that the network did not see.
    package static func unseen(_ elementType: ElementType) -> Int { elementType == .uint8 ? 255 : 65_535 }
}

/// The pixels of one class.
public struct Segment: Sendable, Equatable {
    /// The class's position in the network's output.
    public let index: Int
    /// The class's name, when labels are known.
    public let label: String?
    /// The class's name; its index as text when labels are not known.
    public var identifier: String { label ?? String(index) }
    /// The box around all of its pixels, with its origin at the upper left of the upright picture.
    public let box: NormalizedBox
    /// The pixels, as COCO writes them.
    public let runs: RunLengths
    /// The number of pixels.
    public var area: Int { runs.area }

    package init(index: Int, label: String?, box: NormalizedBox, runs: RunLengths) {
        (self.index, self.label, self.box, self.runs) = (index, label, box, runs)
    }
}
