/// A pattern of file names, as in shells. `*` matches any text and `?` any character, both except `/`; `**` matches any
/// text including `/`; `[a-z]` matches one character of a set and `[!a-z]` one outside it.
///
/// A pattern without `/`, such as `*.jpg`, is compared with the name of a file or folder. A pattern with `/`, such as
/// `cats/**/*.png`, is compared with the whole path inside the listed folder.
public struct GlobPattern: Sendable, ExpressibleByStringLiteral {
    private enum Token: Sendable {
        case character(Unicode.Scalar)
        case anyCharacter
        case anyName
        case anyPath
        /// Any number of folders, each followed by `/`.
        case anyFolders
        case set([ClosedRange<Unicode.Scalar>], isInverted: Bool)
    }

    /// The pattern as it was written.
    package let text: String
    private let tokens: [Token]
    private let coversPath: Bool

    public init(stringLiteral text: String) { self.init(text) }

    /// Makes a pattern. A `[` without a closing `]` stands for itself.
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

    /// Reads the rest of a set after its `[`; returns nil and leaves `rest` unchanged when `]` is missing.
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

    /// Whether the pattern matches a path inside the listed folder, or its last component.
    ///
    /// Complexity: O(pattern × path): all possible matches are followed in parallel.
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

    /// The states reached without consuming a character, since `*` and `**` also match empty text.
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
