import Formats

/// What this build of Apus can use, in order of preference.
public enum Catalog {
    /// The formats of model files, in the order in which they are tried on the content.
    package static let formats: [any ModelFormat] = [ONNXFormat(), CoreMLFormat(), TFLiteFormat()]
}
