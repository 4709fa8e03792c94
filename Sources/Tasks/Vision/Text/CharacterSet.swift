import Models
import Platform
import Tensors

/// The characters that a network reads, by the position of their scores. The first or the last stands for no character.
package struct CharacterSet: Sendable, Equatable {
    private let characters: [String]
    /// The position of the score that stands for no character.
    package private(set) var nonePosition = 0

    /// The key of ONNX metadata with a character on each line.
    static let metadataKey = "character"

    /// - Parameters:
    ///   - names: The characters in the order of the scores.
    ///   - count: The number of scores; nil when it is not fixed. Where it is one more than there are characters, the
    ///     first score is that of no character; where it is two or three more, the last ones are those of a space
    ///     besides. Where it is equal, the first name must be empty, or the first must say that it stands for no
    ///     character, or the last must be `blank`.
    /// - Throws: ``ApusError/usage(_:)`` for any other number.
    package init(_ names: [String], count: Int?, model: String) throws(ApusError) {
        switch (count ?? names.count + 2) - names.count {
        case 0 where names.first.map(Self.standsForNone) ?? false: characters = names
        case 1: characters = [""] + names
        case 2: characters = [""] + names + [" "]
        case 3: characters = [""] + names + [" ", " "]
        case 0 where names.last.map { Self.bare($0) == "blank" } ?? false:
            (characters, nonePosition) = (names.dropLast() + [""], names.count - 1)
        default:
            throw .usage(
                "\(model): has \(count ?? 0) scores for each place of a text, but there are \(names.count) characters; "
                    + "one to three scores more are for no character and for spaces")
        }
    }

    /// Whether a name is that of no character in the dictionaries of CTC.
    private static func standsForNone(_ name: String) -> Bool {
        ["", "blank", "ctc"].contains(bare(name))
    }

    private static func bare(_ name: String) -> String { name.lowercased().filter { !"[]<>-_".contains($0) } }

    /// The number of scores.
    package var count: Int { characters.count }

    /// The characters that the metadata name; nil when they name none.
    package static func named(in metadata: [String: String]) -> [String]? {
        guard let text = metadata[metadataKey] else { return nil }
        let lines = text.textLines
        return lines.count > 1 ? lines : nil
    }

    /// The character at a position.
    package subscript(position: Int) -> String { characters.indices.contains(position) ? characters[position] : "" }

    /// A hash of the characters.
    var fingerprint: String { Labels(characters).fingerprint }
}
