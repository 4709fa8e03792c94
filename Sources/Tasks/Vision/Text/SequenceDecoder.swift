import FoundationEssentials
import Glibc
import Tensors

/// Reads the text from scores of characters at each place of a line: connectionist temporal classification (CTC).
///
/// At each place the character with the best score counts. Of the same one at consecutive places, the first counts; one
/// position, mostly the first, stands for none, and parts the same character twice.
///
/// Sources: https://www.cs.toronto.edu/~graves/icml_2006.pdf, and `CTCLabelDecode` of
/// https://github.com/RapidAI/RapidOCR for the confidence
package struct SequenceDecoder: Sendable {
    /// What the scores are.
    package enum Scale: Sendable {
        case probabilities, logarithms, logits
    }

    let characters: CharacterSet
    let scale: Scale

    package init(_ characters: CharacterSet, _ scale: Scale) { (self.characters, self.scale) = (characters, scale) }

    /// The text, and the mean of the probabilities of its characters; 0 for no text.
    ///
    /// - Parameter scores: `count` scores for each place.
    package func text(of scores: [Float], count: Int) -> (text: String, confidence: Float) {
        var text = ""
        var (sum, characterCount) = (0.0, 0)
        var last: Int?
        for start in stride(from: 0, through: scores.count - count, by: count) {
            let place = scores[start..<start + count]
            let best = Self.best(of: place)
            defer { last = best }
            guard best != characters.nonePosition, best != last else { continue }
            text += characters[best]
            sum += Double(probability(of: best, in: place))
            characterCount += 1
        }
        return (text, characterCount > 0 ? Float(sum / Double(characterCount)) : 0)
    }

    /// The position of the largest score, the first of equal ones.
    private static func best(of scores: ArraySlice<Float>) -> Int {
        var best = scores.startIndex
        for index in scores.indices where scores[index] > scores[best] { best = index }
        return best - scores.startIndex
    }

    private func probability(of position: Int, in scores: ArraySlice<Float>) -> Float {
        let score = scores[scores.startIndex + position]
        switch scale {
        case .probabilities: return score
        case .logarithms: return exp(score)
        case .logits: return Float(1 / scores.reduce(0.0) { $0 + exp(Double($1) - Double(score)) })
        }
    }
}
