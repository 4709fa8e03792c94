import Apus
import ArgumentParser
import Measuring
import SharedOptions

/// The options for choosing layers to compute in 16 bits.
struct PrecisionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Pictures of the kind that the network is used for, on which --precision auto chooses layers.",
            valueName: "dataset"), completion: .file())
    var calibrate: [String] = []

    @Option(
        help: ArgumentHelp(
            "The largest relative error of any output, |x - r| / max(|r|, root mean square of r).", valueName: "error"))
    var tolerance = 1e-2

    @Option(
        help: ArgumentHelp(
            """
            The minimum share of pictures that keep their best class, or of a detector the least \
            mean average precision of boxes when those in float32 count as marked.
            """, valueName: "part"))
    var minimumAgreement = 0.999

    @Option(help: ArgumentHelp("The maximum number of pictures to use, from the first one on.", valueName: "count"))
    var pictures = 64

    func validate() throws {
        guard tolerance >= 0, tolerance.isFinite else { throw ValidationError("--tolerance must be at least 0") }
        guard (0...1).contains(minimumAgreement) else {
            throw ValidationError("--minimum-agreement must be from 0 to 1")
        }
        guard (1...100_000).contains(pictures) else { throw ValidationError("--pictures must be from 1 to 100000") }
    }
}

extension PrecisionProgress {
    var text: String {
        switch self {
        case .reference: "running in float32"
        case .layer(let number, let count, let name): "layer \(number) of \(count) alone in 16 bits: \(name)"
        case .layers(let count, let total): "\(count) of \(total) layers in 16 bits"
        }
    }
}
