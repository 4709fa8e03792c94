import Features
import Graphs

/// The content of a model file: the network, and descriptions of its pictures and classes.
package struct ImportedModel: Sendable {
    /// A graph that is sorted and valid, and whose shapes agree.
    package var graph: Graph
    /// The classes in the order of the network's outputs; nil when the file does not name them.
    package var labels: [String]?
    /// The part of the file that names the classes.
    package var labelsSource = DescriptionSource.format
    /// The conversion of pictures to inputs, for the inputs that take pictures according to the file.
    package var pictures: [PictureInput]
    /// The output with one number per class; nil when the file does not tell.
    package var scoresName: String?
    /// The channels of the outputs that are pictures according to the file, by name.
    package var pictureOutputs: [String: PictureInput.Channels] = [:]
    /// The number in every element of an input that need not be given, by name.
    package var inputDefaults: [String: Double] = [:]
    /// What the reader passed over, in sentences for people.
    package var warnings: [String] = []
    /// The processing of the outputs; nil when the file holds only the network.
    package var continuation: Continuation?

    /// The processing that follows a network.
    package enum Continuation: Sendable {
        /// The best of the boxes that the network finds are kept.
        case suppression(BoxSuppression)
        /// Feature stages, each of which reads the outputs of the network and of the stages before. The last determines
        /// the class.
        case classification([any FeatureStage], ClassifierOutputs)
    }

    package init(_ graph: Graph, labels: [String]? = nil, pictures: [PictureInput] = []) {
        self.graph = graph
        self.labels = labels
        self.pictures = pictures
    }
}

/// The part of a file that describes its pictures or classes.
package enum DescriptionSource: Sendable, Equatable {
    /// The place that the format defines for it.
    case format
    /// An entry of the file's metadata.
    case metadata(String)
    /// No part: the description is guessed from the quantization of the input.
    case quantization
}

/// An input that takes a picture, as the model file describes it.
///
///     number = (pixel * scale - mean) / standardDeviation
///
/// Then each picture may be standardized.
package struct PictureInput: Sendable, Equatable {
    /// The channels that the network takes, in order.
    package enum Channels: String, Sendable {
        case rgb, bgr, gray
    }

    /// The way in which a picture of other proportions is resized, where the format has a convention.
    package enum Fitting: Sendable {
        /// Cover the size and cut from the middle, as Vision does.
        case centerCrop
        /// Stretch to the size, as the TensorFlow Lite Task Library does.
        case fill
    }

    /// The input's name.
    package var name: String
    package var channels: Channels
    package var fitting: Fitting
    /// The factor of each pixel, whose values are 0 to 255.
    package var scale: Float = 1
    /// The numbers subtracted after scaling: one, or one each for red, green and blue.
    package var mean: [Float] = [0]
    /// The divisors of the differences: one, or one each for red, green and blue.
    package var standardDeviation: [Float] = [1]
    /// Whether the numbers of each picture are then normalised to mean 0 and standard deviation 1.
    package var standardizes = false
    /// The part of the file that describes the input.
    package var source = DescriptionSource.format

    package init(name: String, channels: Channels, fitting: Fitting) {
        self.name = name
        self.channels = channels
        self.fitting = fitting
    }
}
