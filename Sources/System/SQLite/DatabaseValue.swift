/// A value of a row, or of a parameter of a statement: one of SQLite's storage classes.
///
/// Source: <https://www.sqlite.org/datatype3.html>
package enum DatabaseValue: Hashable, Sendable {
    /// No value.
    case null
    /// A signed integer of at most 64 bits.
    case integer(Int)
    /// A number in double precision. SQLite stores NaN as null.
    case real(Double)
    /// A text. SQLite stores it up to its first zero byte.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// An integer.
    package init(_ integer: Int) { self = .integer(integer) }

    /// A number in double precision.
    package init(_ number: Double) { self = .real(number) }

    /// A text; null for nil.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// The integer; nil for a value of another class.
    package var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }

    /// The number in double precision; nil for a value that is not a number.
    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let number): number
        case .null, .text, .blob: nil
        }
    }

    /// The text; nil for a value of another class.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}
