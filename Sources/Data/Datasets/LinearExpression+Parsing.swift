import Platform

extension LinearExpression {
    /// A part of an expression.
    indirect enum Part {
        case character(CharacterTest)
        case assertion(Assertion)
        case sequence([Part])
        /// The first that matches, in their order.
        case choice([Part])
        /// The only group, whose text is the label.
        case group(Part)
        /// At least `minimum` and at most `maximum` times, as often as possible or as rarely.
        case repetition(Part, minimum: Int, maximum: Int?, isGreedy: Bool)
    }

    /// Reads an expression.
    struct Parser {
        /// Why an expression is not read: words that follow it.
        struct Failure: Error {
            let message: String

            init(_ message: String) { self.message = message }
        }

        private static let maximumDepth = 100
        private static let maximumCount = 1000

        private var rest: ArraySlice<Character>
        private var ignoresCase = false
        private var depth = 0
        private(set) var groupCount = 0

        init(_ text: String) { rest = Array(text)[...] }

        /// Reads all of the expression.
        mutating func whole() throws(Failure) -> Part {
            let part = try choice()
            guard rest.isEmpty else { throw Failure("has a ) without a (") }
            return part
        }

        private mutating func choice() throws(Failure) -> Part {
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else {
                throw Failure("has more than \(Self.maximumDepth) groups in groups")
            }
            // Flags hold to the end of the group.
            let outer = ignoresCase
            defer { ignoresCase = outer }
            var parts = [try sequence()]
            while take("|") { parts.append(try sequence()) }
            return parts.count == 1 ? parts[0] : .choice(parts)
        }

        private mutating func sequence() throws(Failure) -> Part {
            var parts: [Part] = []
            while let next = rest.first, next != "|", next != ")" {
                guard let part = try element() else { continue }
                parts.append(try repeated(part))
            }
            return parts.count == 1 ? parts[0] : .sequence(parts)
        }

        /// The next element without what repeats it; nil for flags.
        private mutating func element() throws(Failure) -> Part? {
            switch rest.removeFirst() {
            case "(": return try group()
            case "[": return .character(try set())
            case ".": return .character(CharacterTest([.line], isInverted: true))
            case "^": return .assertion(.beginning)
            case "$": return .assertion(.end)
            case "\\": return try escape()
            case "*", "+", "?": throw Failure("repeats nothing")
            case let character: return .character(literal(character))
            }
        }

        private func literal(_ character: Character) -> CharacterTest {
            CharacterTest([.range(character, character)], ignoresCase: ignoresCase)
        }

        /// The rest of a group.
        private mutating func group() throws(Failure) -> Part? {
            var isLabel = true
            if take("?") {
                isLabel = false
                if take(":") {
                } else if take("<") || take("P<") {
                    guard rest.first != "=", rest.first != "!" else { throw Failure(Self.looksAround) }
                    guard let end = rest.firstIndex(of: ">") else { throw Failure("has a name without its end") }
                    rest = rest[(end + 1)...]
                    isLabel = true
                } else if take("=") || take("!") {
                    throw Failure(Self.looksAround)
                } else if take("i)") {
                    ignoresCase = true
                    return nil
                } else if take("i:") {
                    let outer = ignoresCase
                    defer { ignoresCase = outer }
                    ignoresCase = true
                    return try closed(choice())
                } else {
                    throw Failure("has a group of a kind that is not read; (…), (?:…), (?<name>…) and (?i) are")
                }
            }
            guard isLabel else { return try closed(choice()) }
            groupCount += 1
            return .group(try closed(choice()))
        }

        private static let looksAround = "looks ahead or back, which takes more than one pass over an id"

        private mutating func closed(_ part: Part) throws(Failure) -> Part {
            guard take(")") else { throw Failure("has a ( without a )") }
            return part
        }

        /// The part with the repetition that follows it.
        private mutating func repeated(_ part: Part) throws(Failure) -> Part {
            var bounds: (minimum: Int, maximum: Int?)?
            if take("*") {
                bounds = (0, nil)
            } else if take("+") {
                bounds = (1, nil)
            } else if take("?") {
                bounds = (0, 1)
            } else {
                bounds = try counts()
            }
            guard let (minimum, maximum) = bounds else { return part }
            let isGreedy = !take("?")
            guard !take("+") else {
                throw Failure("repeats without giving back, which takes more than one pass over an id")
            }
            if ["*", "+", "?"].contains(rest.first) { throw Failure("repeats a repetition") }
            return .repetition(part, minimum: minimum, maximum: maximum, isGreedy: isGreedy)
        }

        /// Counts such as `{2}`, `{2,}`, `{,3}` and `{2,3}`; nil where there are none.
        private mutating func counts() throws(Failure) -> (minimum: Int, maximum: Int?)? {
            guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
            let words = rest[rest.index(after: rest.startIndex)..<end].split(
                separator: ",", omittingEmptySubsequences: false)
            let numbers = words.map { Int(String($0)) }
            guard (1...2).contains(words.count), zip(words, numbers).allSatisfy({ $0.isEmpty || $1 != nil }),
                numbers.contains(where: { $0 != nil })
            else { return nil }
            rest = rest[(end + 1)...]
            let minimum = numbers[0] ?? 0
            let maximum = words.count == 1 ? minimum : numbers[1]
            guard (0...Self.maximumCount).contains(minimum), (minimum...Self.maximumCount).contains(maximum ?? minimum)
            else { throw Failure("repeats a part in a way that is not one of 0 to \(Self.maximumCount) times") }
            return (minimum, maximum)
        }

        /// The rest of an escape outside of a set.
        private mutating func escape() throws(Failure) -> Part {
            switch rest.first {
            case "b": return .assertion(assertion(.wordBoundary))
            case "B": return .assertion(assertion(.noWordBoundary))
            case "A": return .assertion(assertion(.beginning))
            case "z", "Z": return .assertion(assertion(.end))
            case let digit? where ("1"..."9").contains(digit):
                throw Failure("repeats the text of a group, which takes more than one pass over an id")
            default:
                let (item, isInverted) = try escapedItem()
                return .character(CharacterTest([item], isInverted: isInverted, ignoresCase: ignoresCase))
            }
        }

        private mutating func assertion(_ assertion: Assertion) -> Assertion {
            rest.removeFirst()
            return assertion
        }

        /// What an escape stands for, in a set and outside.
        private mutating func escapedItem() throws(Failure) -> (CharacterTest.Item, isInverted: Bool) {
            guard let name = rest.popFirst() else { throw Failure("ends with a \\") }
            func only(_ character: Character) -> (CharacterTest.Item, Bool) { (.range(character, character), false) }
            switch name {
            case "d": return (.digit, false)
            case "D": return (.digit, true)
            case "w": return (.word, false)
            case "W": return (.word, true)
            case "s": return (.space, false)
            case "S": return (.space, true)
            case "n": return only("\n")
            case "r": return only("\r")
            case "t": return only("\t")
            case "p", "P":
                let category = try braced().lowercased()
                guard let item = CharacterTest.Item(category: category) else {
                    throw Failure("has \\\(name){\(category)}; L, Lu, Ll, N, Nd and P are known")
                }
                return (item, name == "P")
            case "u", "x":
                guard let number = UInt32(try braced(), radix: 16), let scalar = Unicode.Scalar(number) else {
                    throw Failure("has a \\\(name) that is not one of a character, as in \\\(name){e9}")
                }
                return only(Character(scalar))
            case _ where name.isLetter || name.isNumber: throw Failure("has \\\(name), which is not known")
            default: return only(name)
            }
        }

        /// Text in braces.
        private mutating func braced() throws(Failure) -> String {
            guard rest.first == "{", let end = rest.firstIndex(of: "}") else {
                throw Failure("lacks braces behind a \\")
            }
            defer { rest = rest[(end + 1)...] }
            return String(rest[rest.index(after: rest.startIndex)..<end])
        }

        /// The rest of a set of characters.
        private mutating func set() throws(Failure) -> CharacterTest {
            let isInverted = take("^")
            var items: [CharacterTest.Item] = []
            while let next = rest.popFirst() {
                if next == "]", !items.isEmpty {
                    return CharacterTest(items, isInverted: isInverted, ignoresCase: ignoresCase)
                }
                guard next != "[", !(next == rest.first && ["&", "-", "~"].contains(next)) else {
                    throw Failure("has a set of characters in a set")
                }
                var item = CharacterTest.Item.range(next, next)
                if next == "\\" {
                    let (escaped, isOutside) = try escapedItem()
                    guard !isOutside else { throw Failure("has \\D, \\W, \\S or \\P in a set of characters") }
                    item = escaped
                }
                if case .range(let first, _) = item, rest.first == "-", let last = rest.dropFirst().first, last != "]" {
                    rest.removeFirst(2)
                    guard last != "\\", first <= last else {
                        throw Failure("has a range of characters without an order")
                    }
                    item = .range(first, last)
                }
                items.append(item)
            }
            throw Failure("has a [ without a ]")
        }

        /// Removes a text if it comes next.
        private mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }
    }
}
