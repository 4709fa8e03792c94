import Apus

/// The text about the rewrites, with similar changes counted.
struct RewriteText {
    private let rewrites: [Model.RewriteDescription]

    init(_ rewrites: [Model.RewriteDescription]) { self.rewrites = rewrites }

    /// The maximum number of changes with the same message, ignoring names, that are listed one by one.
    private static let maximumAlike = 3

    var lines: [String] {
        let idle = rewrites.filter(\.changes.isEmpty).map(\.name)
        return rewrites.filter { !$0.changes.isEmpty }.flatMap { rewrite in
            ["\(rewrite.name) (\(rewrite.changes.count)): \(rewrite.summary)"] + Self.lines(rewrite.changes)
        } + (idle.isEmpty ? [] : ["without changes: \(idle.joined(separator: ", "))"])
    }

    private static func lines(_ changes: [Model.RewriteDescription.Change]) -> [String] {
        var order: [String] = []
        var groups: [String: [Model.RewriteDescription.Change]] = [:]
        for change in changes {
            let kind = withoutNames(change.message)
            if groups[kind] == nil { order.append(kind) }
            groups[kind, default: []].append(change)
        }
        return order.flatMap { kind -> [String] in
            let group = groups[kind] ?? []
            let texts = group.map { "  \($0.node.printable): \($0.message.printable)" }
            guard group.count > maximumAlike else { return texts }
            return [texts[0], "  … and \(group.count - 1) similar changes (--json lists them)"]
        }
    }

    /// A message without its quoted names and numbers.
    private static func withoutNames(_ message: String) -> String {
        let outside = message.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        return String(outside.joined(separator: "\"").filter { !$0.isNumber })
    }
}
