import Images
import Models

/// What a predictor of any task is made with, beside the model. Tasks add their own options.
package struct TaskSettings: Sendable {
    /// Overrides the model's own steps from picture to input.
    package var preprocessing: Preprocessing?
    /// Overrides the model's own names of classes.
    package var labels: Labels?
    /// The limits of decoding.
    package var decoding = Image.DecodingOptions()
    /// The name of the value that is read, an output or the result of any node; nil for the task's own choice.
    package var outputName: String?
    /// How outputs become objects.
    package var detection: DetectionConfiguration?
    /// How outputs become poses, landmarks or instances.
    package var decodingConfiguration: DetectionConfiguration?
    /// Objects, poses and landmarks with less confidence are left out; nil for the decoder's own limit.
    package var minimumConfidence: Float?
    /// The options of tasks, by their types.
    private var options: [ObjectIdentifier: any Sendable] = [:]

    package init() {}

    /// The options of a task.
    ///
    /// - Parameter standard: Those that hold where none were given.
    subscript<Options: Sendable>(standard: Options) -> Options {
        get { options[ObjectIdentifier(Options.self)] as? Options ?? standard }
        set { options[ObjectIdentifier(Options.self)] = newValue }
    }
}
