import Apus
import ArgumentParser

/// Which files the command may replace.
struct WritingOptions: ParsableArguments {
    @Flag(
        help: """
            Also replace files that no earlier run of this command made; what is read, and what belongs to another run, \
            never.
            """)
    var force = false

    /// What a command reads, which none of its outputs may be.
    ///
    /// - Parameter files: Files beside the model, what lies beside that, and those of the dataset.
    func claims(
        model: String? = nil, reading files: [String?] = [], dataset: (any Dataset)? = nil
    ) -> OutputClaims {
        OutputClaims(model: model, reading: files.compactMap { $0 }, dataset: dataset, isForced: force)
    }
}
