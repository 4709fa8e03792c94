import Images
import Platform

/// The members of an object of a recipe's file. Every key is known, or is refused.
struct RecipeFields {
    /// What is wrong with the file, in one line.
    struct Problem: Error {
        let message: String
    }

    private let members: [String: JSONValue]
    /// The object in messages, such as `stage "text"`; empty for the whole file.
    let place: String

    /// - Throws: ``Problem`` for another value than an object, and for unknown keys.
    init(_ value: JSONValue, place: String, keys: [String]) throws(Problem) {
        self.place = place
        guard let members = value.object else { throw Problem(message: "\(place) is not an object") }
        self.members = members
        guard let unknown = members.keys.sorted().first(where: { !keys.contains($0) }) else { return }
        let known = keys.joined(separator: ", ")
        throw problem("has the key \"\(unknown.printable)\"; the keys are \(known)")
    }

    /// The object with a place that tells more.
    init(_ fields: RecipeFields, place: String) { (members, self.place) = (fields.members, place) }

    func problem(_ message: String) -> Problem { Problem(message: place.isEmpty ? message : "\(place) \(message)") }

    /// The value of a key; nil where it is missing or null.
    func value(_ key: String) -> JSONValue? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    /// The text of a key.
    func text(_ key: String) throws(Problem) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw problem("has \"\(key)\", which must be a text") }
        return text
    }

    /// The number of a key, which may be a fraction such as `"1/255"`.
    func number(_ key: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = Self.number(value), range.contains(number) else {
            throw problem("has \"\(key)\", which must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The whole number of a key.
    func integer(_ key: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = Self.number(value), let integer = Int(exactly: number), range.contains(integer) else {
            throw problem(
                "has \"\(key)\", which must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Yes or no.
    func flag(_ key: String) throws(Problem) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.boolean else {
            throw problem("has \"\(key)\", which must be true or false")
        }
        return flag
    }

    /// The numbers of a key: a list, or one.
    func numbers(_ key: String, atMost count: Int) throws(Problem) -> [Double]? {
        guard let value = value(key) else { return nil }
        let list = value.array ?? [value]
        let numbers = list.compactMap(Self.number)
        guard numbers.count == list.count, (1...count).contains(list.count), numbers.allSatisfy(\.isFinite) else {
            throw problem("has \"\(key)\", which must be 1 to \(count) numbers")
        }
        return numbers
    }

    /// One of several choices.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let text = try text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw problem("has \"\(key)\", which must be one of \(names), not \"\(text.printable)\"")
        }
        return choice
    }

    /// A width and a height.
    func size(_ key: String) throws(Problem) -> ImageSize? {
        guard let value = value(key) else { return nil }
        let fields = try RecipeFields(value, place: place, keys: ["width", "height"])
        guard let width = try fields.integer("width", in: 1...8192),
            let height = try fields.integer("height", in: 1...8192)
        else { throw problem("has \"\(key)\", which must have a width and a height") }
        return ImageSize(width: width, height: height)
    }

    /// A number, or a text that is one divided by another.
    static func number(_ value: JSONValue) -> Double? {
        if let number = value.number { return number }
        guard let parts = value.string?.split(separator: "/").map({ Double($0) }), parts.count == 2,
            let first = parts[0], let second = parts[1], second != 0
        else { return nil }
        return first / second
    }
}
