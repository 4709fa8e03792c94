import Images
import Models
import Platform

/// A family of networks: how its makers' package prepares pictures, and what it reads in the outputs.
///
/// A family is one file in the task that it serves, and a line of ``Catalog/families``. What a file beside the model or
/// its metadata state comes first; a family says the rest.
package protocol ModelFamily: Sendable {
    /// The name in options.
    var name: String { get }
    /// The name for people.
    var title: String { get }
    /// The package or the paper that prepares and reads networks so.
    var source: String { get }
    /// What the networks are for.
    var task: VisionTask { get }

    /// What in a model tells the family, in a few words behind "by"; nil for a model of another. The name of a file is
    /// no evidence.
    func evidence(in signature: TaskSignature) -> String?

    /// The steps from picture to numbers; nil where the family leaves them open.
    func preprocessing(for signature: TaskSignature) -> Preprocessing?

    /// The names of classes; nil where the model gives them.
    var labels: Labels? { get }

    /// How outputs become objects or points; nil where the outputs tell it.
    var configuration: DetectionConfiguration? { get }
}

extension ModelFamily {
    package var labels: Labels? { nil }
    package var configuration: DetectionConfiguration? { nil }
}
