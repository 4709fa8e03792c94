import Platform

/// A regular expression with one group, which is matched in one pass over a text: each character is compared with at
/// most all characters of the expression. So no expression takes long, as `(a+)+` does where matching goes back.
///
/// Of two matches the first is taken that a search with going back would find. Characters are compared as Swift
/// compares them, by what they look like.
///
/// Source: https://swtch.com/~rsc/regexp/regexp2.html
struct LinearExpression: Sendable {
    enum Assertion {
        case beginning, end, wordBoundary, noWordBoundary
    }

    /// A step of the machine that matches.
    private enum Instruction {
        case character(CharacterTest)
        case assertion(Assertion)
        /// Goes on in both places; a match through the first one is preferred.
        case fork(Int, Int)
        case jump(Int)
        case groupBegins, groupEnds
        case match
    }

    /// The maximum number of instructions.
    private static let maximumCount = 4000

    private var instructions: [Instruction] = []

    /// Reads an expression.
    ///
    /// - Throws: ``Parser/Failure``, also when there is not exactly one group.
    init(_ text: String) throws(Parser.Failure) {
        var parser = Parser(text)
        let part = try parser.whole()
        guard parser.groupCount == 1 else {
            throw Parser.Failure("must have exactly one group in parentheses, the label")
        }
        try add(part)
        instructions.append(.match)
    }

    // MARK: Compiling

    private mutating func add(_ part: Part) throws(Parser.Failure) {
        switch part {
        case .character(let test): try add(Instruction.character(test))
        case .assertion(let assertion): try add(Instruction.assertion(assertion))
        case .sequence(let parts): for part in parts { try add(part) }
        case .choice(let parts):
            var ends: [Int] = []
            for part in parts.dropLast() {
                let fork = instructions.count
                try add(.fork(fork + 1, 0))
                try add(part)
                ends.append(instructions.count)
                try add(.jump(0))
                instructions[fork] = .fork(fork + 1, instructions.count)
            }
            if let last = parts.last { try add(last) }
            for end in ends { instructions[end] = .jump(instructions.count) }
        case .group(let part):
            try add(.groupBegins)
            try add(part)
            try add(.groupEnds)
        case .repetition(let part, let minimum, let maximum, let isGreedy):
            for _ in 0..<minimum { try add(part) }
            guard let maximum else {
                let fork = instructions.count
                try add(.fork(0, 0))
                try add(part)
                try add(.jump(fork))
                instructions[fork] = Self.fork(fork + 1, instructions.count, isGreedy)
                return
            }
            var forks: [Int] = []
            for _ in minimum..<maximum {
                forks.append(instructions.count)
                try add(.fork(0, 0))
                try add(part)
            }
            for fork in forks { instructions[fork] = Self.fork(fork + 1, instructions.count, isGreedy) }
        }
    }

    private static func fork(_ inside: Int, _ behind: Int, _ isGreedy: Bool) -> Instruction {
        isGreedy ? .fork(inside, behind) : .fork(behind, inside)
    }

    private mutating func add(_ instruction: Instruction) throws(Parser.Failure) {
        guard instructions.count < Self.maximumCount else {
            throw Parser.Failure("is longer than \(Self.maximumCount) characters, with all repetitions written out")
        }
        instructions.append(instruction)
    }

    // MARK: Matching

    /// A place in the instructions, with the characters of the group so far.
    private struct Thread {
        let place: Int
        var begin: Int?
        var group: Range<Int>?
    }

    /// The text of the group in the first match; nil without a match, or where the group is not part of it.
    ///
    /// - Throws: ``ApusError/cancelled`` when the task or its run is asked to end.
    func group(in text: String) throws(ApusError) -> String? {
        let characters = Array(text)
        var threads: [Thread] = []
        var result: Thread?
        var seen = [Int](repeating: -1, count: instructions.count)
        for position in 0...characters.count {
            if position & 255 == 255, GracefulStop.isEnding { throw .cancelled }
            var current: [Thread] = []
            for thread in threads { follow(thread, at: position, of: characters, &seen, &current) }
            // A match that begins here is less than all that began before.
            if result == nil { follow(Thread(place: 0), at: position, of: characters, &seen, &current) }
            if current.isEmpty, result != nil { break }
            threads = []
            for thread in current {
                if case .match = instructions[thread.place] {
                    result = thread
                    break
                }
                if position < characters.count, case .character(let test) = instructions[thread.place],
                    test.accepts(characters[position])
                {
                    threads.append(Thread(place: thread.place + 1, begin: thread.begin, group: thread.group))
                }
            }
        }
        return result?.group.map { String(characters[$0]) }
    }

    /// Adds the places that a thread reaches without a character, the preferred ones first.
    private func follow(
        _ thread: Thread, at position: Int, of characters: [Character], _ seen: inout [Int], _ reached: inout [Thread]
    ) {
        var waiting = [thread]
        while var thread = waiting.popLast() {
            guard seen[thread.place] != position else { continue }
            seen[thread.place] = position
            func goOn(_ place: Int) { waiting.append(Thread(place: place, begin: thread.begin, group: thread.group)) }
            switch instructions[thread.place] {
            case .character, .match: reached.append(thread)
            case .jump(let place): goOn(place)
            case .fork(let first, let second):
                goOn(second)
                goOn(first)
            case .groupBegins:
                thread.begin = position
                goOn(thread.place + 1)
            case .groupEnds:
                thread.group = thread.begin.map { $0..<position }
                goOn(thread.place + 1)
            case .assertion(let assertion):
                if assertion.holds(at: position, of: characters) { goOn(thread.place + 1) }
            }
        }
    }
}

extension LinearExpression.Assertion {
    fileprivate func holds(at position: Int, of characters: [Character]) -> Bool {
        func isWord(_ place: Int) -> Bool {
            characters.indices.contains(place) && CharacterTest.Item.word.contains(characters[place])
        }
        return switch self {
        case .beginning: position == 0
        case .end: position == characters.count
        case .wordBoundary: isWord(position - 1) != isWord(position)
        case .noWordBoundary: isWord(position - 1) == isWord(position)
        }
    }
}

/// Which characters an expression takes at a place.
struct CharacterTest: Sendable {
    enum Item: Sendable {
        case range(Character, Character)
        case digit, word, space
        /// The ends of lines.
        case line
        case letter, uppercase, lowercase, number, punctuation
    }

    private let items: [Item]
    private let isInverted: Bool
    private let ignoresCase: Bool

    init(_ items: [Item], isInverted: Bool = false, ignoresCase: Bool = false) {
        (self.items, self.isInverted, self.ignoresCase) = (items, isInverted, ignoresCase)
    }

    /// Whether the character is one of those.
    func accepts(_ character: Character) -> Bool {
        let forms = ignoresCase ? [character] + Self.forms(character) : [character]
        return forms.contains { form in items.contains { $0.contains(form) } } != isInverted
    }

    private static func forms(_ character: Character) -> [Character] {
        [character.lowercased(), character.uppercased()].compactMap { $0.count == 1 ? $0.first : nil }
    }
}

extension CharacterTest.Item {
    /// The characters of a category of Unicode.
    init?(category: String) {
        switch category {
        case "l", "letter": self = .letter
        case "lu": self = .uppercase
        case "ll": self = .lowercase
        case "n": self = .number
        case "nd": self = .digit
        case "p": self = .punctuation
        default: return nil
        }
    }

    func contains(_ character: Character) -> Bool {
        switch self {
        case .range(let first, let last): return first == last ? character == first : (first...last).contains(character)
        case .digit: return character.unicodeScalars.first?.properties.generalCategory == .decimalNumber
        case .word: return character.isLetter || character == "_" || Self.digit.contains(character)
        case .space: return character.isWhitespace
        case .line: return character.isNewline
        case .letter: return character.isLetter
        case .uppercase: return character.unicodeScalars.first?.properties.generalCategory == .uppercaseLetter
        case .lowercase: return character.unicodeScalars.first?.properties.generalCategory == .lowercaseLetter
        case .number: return character.isNumber
        case .punctuation: return character.isPunctuation
        }
    }
}
