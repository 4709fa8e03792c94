/// A pattern of file names as shells know them: `*` is any text and `?` any character except `/`, `**` any text with
/// `/` in it, `[a-z]` one character of a set and `[!a-z]` one outside it.
///
/// A pattern without `/` is compared with the name of a file or folder, one with `/` with its whole path inside the
/// folder that is listed: `*.jpg`, `cats/**/*.png`.
public struct GlobPattern: Sendable, ExpressibleByStringLiteral {
    private enum Token: Sendable {
        case character(Unicode.Scalar)
        case anyCharacter
        case anyName
        case anyPath
        /// Any folders with the `/` behind them, or nothing.
        case anyFolders
        case set([ClosedRange<Unicode.Scalar>], isInverted: Bool)
    }

    /// The form as it was written.
    package let text: String
    private let tokens: [Token]
    private let coversPath: Bool

    public init(stringLiteral text: String) { self.init(text) }

    /// Makes a pattern. A `[` that nothing closes stands for itself.
    public init(_ text: String) {
        self.text = text
        coversPath = text.utf8.contains(UInt8(ascii: "/"))
        var tokens: [Token] = []
        var rest = Array(text.unicodeScalars)[...]
        while let first = rest.popFirst() {
            switch first {
            case "*" where rest.first == "*":
                rest = rest.drop { $0 == "*" }
                if rest.first == "/" {
                    rest.removeFirst()
                    tokens.append(.anyFolders)
                } else {
                    tokens.append(.anyPath)
                }
            case "*": tokens.append(.anyName)
            case "?": tokens.append(.anyCharacter)
            case "[": tokens.append(Self.set(&rest) ?? .character("["))
            case "\\" where !rest.isEmpty: tokens.append(.character(rest.removeFirst()))
            default: tokens.append(.character(first))
            }
        }
        self.tokens = tokens
    }

    /// Reads a set behind its `[`; nil, with nothing taken, when it has no end.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Token? {
        var inside = rest
        let isInverted = inside.first == "!" || inside.first == "^"
        if isInverted { inside.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let first = inside.popFirst(), first != "]" || ranges.isEmpty {
            if inside.first == "-", let last = inside.dropFirst().first, last != "]" {
                inside.removeFirst(2)
                if first <= last { ranges.append(first...last) }
            } else {
                ranges.append(first...first)
            }
            guard !inside.isEmpty else { return nil }
        }
        guard !ranges.isEmpty else { return nil }
        rest = inside
        return .set(ranges, isInverted: isInverted)
    }

    /// Whether a path inside the listed folder, or its last name, has this form.
    ///
    /// Complexity: O(pattern × path); all ways to match are followed side by side.
    public func matches(_ path: String) -> Bool {
        let text =
            coversPath ? path[...] : path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        var states = closure(of: [0])
        for scalar in text.unicodeScalars {
            var next: Set<Int> = []
            for state in states where state < tokens.count {
                switch tokens[state] {
                case .character(let expected): if scalar == expected { next.insert(state + 1) }
                case .anyCharacter: if scalar != "/" { next.insert(state + 1) }
                case .anyName: if scalar != "/" { next.insert(state) }
                case .anyPath, .anyFolders: next.insert(state)
                case .set(let ranges, let isInverted):
                    if scalar != "/", ranges.contains(where: { $0.contains(scalar) }) != isInverted {
                        next.insert(state + 1)
                    }
                }
            }
            states = closure(of: next, atFolderStart: scalar == "/")
            if states.isEmpty { return false }
        }
        return states.contains(tokens.count)
    }

    /// The states reached without a character: texts of any length may be empty.
    private func closure(of states: Set<Int>, atFolderStart: Bool = true) -> Set<Int> {
        var result = states
        var waiting = Array(states)
        while let state = waiting.popLast() {
            guard state < tokens.count else { continue }
            let isSkipped =
                switch tokens[state] {
                case .anyName, .anyPath: true
                case .anyFolders: atFolderStart
                default: false
                }
            if isSkipped, result.insert(state + 1).inserted { waiting.append(state + 1) }
        }
        return result
    }
}
