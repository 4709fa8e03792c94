import ArgumentParser
import SharedOptions

/// Numbers separated by commas, such as `1,8,32`.
struct CountList: ExpressibleByArgument, CustomStringConvertible {
    let counts: [Int]

    init(_ counts: [Int]) { self.counts = counts }

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        counts = words.compactMap { Int($0.drop { $0 == " " }) }
        if counts.count != words.count { return nil }
    }

    var description: String { counts.map(String.init).joined(separator: ",") }

    /// Refuses numbers out of range and repeated numbers.
    func check(_ option: String, atMost maximum: Int) throws {
        for (index, count) in counts.enumerated() {
            try ExecutionOptions.check(count, option, atMost: maximum)
            if counts[..<index].contains(count) { throw ValidationError("\(option) has \(count) twice") }
        }
    }
}
