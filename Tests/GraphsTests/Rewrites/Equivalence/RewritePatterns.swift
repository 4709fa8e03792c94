import Graphs
import Testing

/// A generator of random graphs for every rewrite.
enum RewritePatterns {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let draw: @Sendable (inout RandomPattern) throws -> Void

        init(_ rewrite: any Rewrite.Type, _ draw: @escaping @Sendable (inout RandomPattern) throws -> Void) {
            (name, self.draw) = (rewrite.name, draw)
        }

        var testDescription: String { name }
    }

    static let table: [Row] =
        removal + elementwise + convolutions + scaleAndShift + products + attention + integers
}
