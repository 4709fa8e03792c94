import Images
import Predicting

/// An object in a picture with its pixels.
public struct Instance: Sendable, Equatable {
    /// The class with its confidence.
    public let label: ClassificationObservation
    /// The confidence that there is an object, and of this class, from 0 to 1.
    public var confidence: Float { label.confidence }
    /// The name of the class; its index as text when labels are not known.
    public var identifier: String { label.identifier }
    /// The box that the network gives, with its origin at the upper left of the upright picture.
    public let box: NormalizedBox
    /// The pixels, as COCO writes them.
    public let runs: RunLengths
    /// The number of pixels.
    public var area: Int { runs.area }

    package init(label: ClassificationObservation, box: NormalizedBox, runs: RunLengths) {
        (self.label, self.box, self.runs) = (label, box, runs)
    }
}

/// The objects in one picture with their pixels, those with the most confidence first.
public struct InstanceSegmentation: Sendable, Equatable {
    /// The objects.
    public let instances: [Instance]
    /// The size of the upright picture; that of the network's input for records that are arrays of numbers.
    public let imageSize: ImageSize

    package init(_ instances: [Instance], imageSize: ImageSize) {
        (self.instances, self.imageSize) = (instances, imageSize)
    }

    /// The number of the object, from 1, that each pixel shows, row after row; 0 for none. Where objects overlap, it is
    /// the one with the most confidence.
    package var numbers: [UInt16] {
        var numbers = [UInt16](repeating: 0, count: imageSize.width * imageSize.height)
        for (position, instance) in instances.enumerated().reversed() {
            let number = UInt16(clamping: position + 1)
            instance.runs.forEachRun { column, rows in
                for row in rows { numbers[row * imageSize.width + column] = number }
            }
        }
        return numbers
    }
}
