import Features
import Graphs

/// What a model file holds: the network, and what the file says about pictures and classes.
package struct ImportedModel: Sendable {
    /// A graph that is sorted, valid, and whose shapes fit together.
    package var graph: Graph
    /// The classes in the order of the network's outputs, when the file names them.
    package var labels: [String]?
    /// Where the file names them.
    package var labelsSource = DescriptionSource.format
    /// How pictures become inputs, for the inputs that the file says take pictures.
    package var pictures: [PictureInput]
    /// The output that holds a number for each class, when the file says which.
    package var scoresName: String?
    /// What is done with the outputs, when the file holds more than the network.
    package var continuation: Continuation?

    /// Models of features behind a network.
    package enum Continuation: Sendable {
        /// Of the boxes that the network gives the best are kept.
        case suppression(BoxSuppression)
        /// Each reads what the network and those before it give; the last tells classes.
        case classification([any FeatureStage], ClassifierOutputs)
    }

    package init(_ graph: Graph, labels: [String]? = nil, pictures: [PictureInput] = []) {
        self.graph = graph
        self.labels = labels
        self.pictures = pictures
    }
}

/// Where a file says something about pictures or classes.
package enum DescriptionSource: Sendable, Equatable {
    /// In the place that its format has for it.
    case format
    /// In an entry of its metadata.
    case metadata(String)
    /// Nowhere: it is guessed from the quantization of the input.
    case quantization
}

/// An input that takes a picture, as the model file describes it.
///
///     number = (pixel * scale - mean) / standardDeviation
///
/// Then each picture may be standardized.
package struct PictureInput: Sendable, Equatable {
    /// The channels that the network takes, in its order.
    package enum Channels: String, Sendable {
        case rgb, bgr, gray
    }

    /// How a picture of other proportions is brought to the input's size, where the format has a custom.
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
    /// What each pixel, 0 to 255, is multiplied by.
    package var scale: Float = 1
    /// What is subtracted after scaling: one number, or one for each of red, green, blue.
    package var mean: [Float] = [0]
    /// What the difference is divided by: one number, or one for each of red, green, blue.
    package var standardDeviation: [Float] = [1]
    /// Whether the numbers of each picture are then brought to mean 0 and standard deviation 1.
    package var standardizes = false
    /// Where this is said.
    package var source = DescriptionSource.format

    package init(name: String, channels: Channels, fitting: Fitting) {
        self.name = name
        self.channels = channels
        self.fitting = fitting
    }
}
