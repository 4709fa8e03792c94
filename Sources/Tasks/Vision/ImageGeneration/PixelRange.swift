import Graphs
import Images
import Models

/// What the numbers of a network that makes pictures mean.
public enum PixelRange: String, Sendable, CaseIterable {
    /// 0 is black and 1 white.
    case unit
    /// 0 is black and 255 white.
    case bytes
    /// −1 is black and 1 white.
    case signed
    /// The numbers are those that preprocessing would make of the picture.
    case input

    /// The range of an output, and what says so: its last operator, or else the preprocessing.
    package static func range(of model: Model, at output: String) -> (range: PixelRange, reason: String) {
        if model.endsInSigmoid(at: output) { return (.unit, "from 0 to 1, since the network ends in a sigmoid") }
        if model.ends(in: ["Tanh"], at: output) { return (.signed, "from -1 to 1, since the network ends in Tanh") }
        return (.input, "those that the preprocessing would make of the picture")
    }

    /// The factor and the term by which a number of a channel, 0 to 2 for red, green and blue, becomes a byte:
    /// byte = number × factor + term.
    func line(_ channel: Int, _ steps: Preprocessing) -> (factor: Float, term: Float) {
        switch self {
        case .unit: return (255, 0)
        case .bytes: return (1, 0)
        case .signed: return (127.5, 127.5)
        case .input:
            let mean = steps.mean.count == 1 ? steps.mean[0] : steps.mean[channel]
            let deviation =
                steps.standardDeviation.count == 1 ? steps.standardDeviation[0] : steps.standardDeviation[channel]
            return (deviation / steps.scale, mean / steps.scale)
        }
    }
}
