import Apus
import ArgumentParser

/// The option to replace files.
package struct WritingOptions: ParsableArguments {
    package init() {}

    @Flag(
        help: """
            Also replace files that no earlier run of this command made, except inputs and files of other runs.
            """)
    package var force = false

    /// The claims of a command, with the files that it reads and must not overwrite.
    ///
    /// - Parameter files: Further files to read, besides the model with its companions and the dataset.
    package func claims(
        model: String? = nil, reading files: [String?] = [], dataset: (any Dataset)? = nil
    ) -> OutputClaims {
        OutputClaims(model: model, reading: files.compactMap { $0 }, dataset: dataset, isForced: force)
    }
}
